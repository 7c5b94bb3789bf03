import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { endOfString } from './json-scan.ts';

/**
 * JSON that is passed on as it was written: numbers beyond 2^53, `1.10`, keys in their order, `__proto__`. No parsed value can
 * hold that, and libraries between reading and writing parse, copy and write again. So on the way it is a string with a mark
 * that this process alone knows, which every library carries through, and {@link writeJson} puts the text in its place.
 * Never stored: see {@link apart}.
 */
export function verbatim(text: string): string {
  return MARK + text;
}

const MARK = `json ${randomBytes(18).toString('hex')} `;

/** The text that a value stands for; undefined for one that stands for itself. */
export function verbatimText(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(MARK) ? value.slice(MARK.length) : undefined;
}

/** As `JSON.stringify`, with each {@link verbatim} text as it is. */
export function writeJson(value: unknown): string {
  return withTexts(JSON.stringify(value));
}

/** The same of JSON that somebody else has written. */
export function withTexts(json: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = json.indexOf(QUOTED_MARK); at !== -1; at = json.indexOf(QUOTED_MARK, from)) {
    const end = endOfString(json, at);
    pieces.push(json.slice(from, at), (JSON.parse(json.slice(at, end)) as string).slice(MARK.length));
    from = end;
  }
  return pieces.length === 0 ? json : pieces.join('') + json.slice(from);
}

const QUOTED_MARK = `"${MARK}`;

/** Texts beside the value that they were taken out of, and where they stand in it: the form in which they are stored. */
export const JsonTexts = z.array(z.strictObject({ path: z.array(z.union([z.string(), z.int()])), text: z.string() }));
export type JsonTexts = z.infer<typeof JsonTexts>;

/** A value with what its {@link verbatim} texts parse to in their places, and the texts, if there are any. Pure. */
export function apart<T>(value: T): { value: T; texts?: JsonTexts } {
  const texts: JsonTexts = [];
  const plain = parsed(value, [], texts) as T;
  return texts.length === 0 ? { value } : { value: plain, texts };
}

/** The path is only lent. */
function parsed(value: unknown, path: (string | number)[], texts: JsonTexts): unknown {
  const text = verbatimText(value);
  if (text !== undefined) {
    texts.push({ path: [...path], text });
    return JSON.parse(text);
  }
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const before = texts.length;
  const below = (step: string | number, member: unknown) => {
    path.push(step);
    const inner = parsed(member, path, texts);
    path.pop();
    return inner;
  };
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => below(index, item));
    return texts.length === before ? value : items;
  }
  const object = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(object);
  const members = names.map((name) => below(name, object[name]));
  return texts.length === before ? value : Object.fromEntries(names.map((name, i) => [name, members[i]]));
}

/** The reverse of {@link apart}. Pure. */
export function together<T>(value: T, texts: JsonTexts = []): T {
  return texts.reduce<unknown>((whole, { path, text }) => withText(whole, path, text), value) as T;
}

function withText(value: unknown, [step, ...rest]: JsonTexts[number]['path'], text: string): unknown {
  if (step === undefined) return verbatim(text);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return value;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === step ? withText(item, rest, text) : item));
  }
  const members = Object.entries(value).map(
    ([key, member]) => [key, key === step ? withText(member, rest, text) : member] as const,
  );
  return Object.fromEntries(members);
}
