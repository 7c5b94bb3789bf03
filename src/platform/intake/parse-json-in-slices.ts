import { setImmediate as nextTurn } from 'node:timers/promises';

/** The event loop is not kept longer than this at a time, in milliseconds, and by one piece. */
const SLICE_MS = 5;
/** A member of the object, or an element of a list in it, is parsed in one go. */
const MAX_PIECE_BYTES = 1_048_576;

/**
 * Parses the JSON text of an object as `JSON.parse` would, a member at a time, and a list in it an element at a time, with turns of
 * the event loop in between: for large documents of strangers.
 * @throws {Error} in our own words for what is no such text, and for a member or element of more than 1 MiB.
 */
export async function parseJsonInSlices(
  bytes: Uint8Array,
  { isCut = false, element, levels = 1 }: SliceOptions = {},
): Promise<Record<string, unknown>> {
  const members: [string, unknown][] = [];
  const reader = new Reader(bytes, isCut);
  try {
    await readObject(reader, members, { element, levels });
    if (reader.next() !== undefined) throw notJson();
  } catch (error) {
    if (!(error instanceof CutHere)) throw error;
  }
  // Not by assignment: a key may be `__proto__`.
  return Object.fromEntries(members);
}

export interface SliceOptions {
  /** The text ends early, anywhere: what is whole before that counts, of a list too. */
  isCut?: boolean;
  /** Is given each element of a member that is a list; those that it takes (`true`) are not kept. */
  element?: (key: string, value: unknown) => boolean;
  /** Levels of objects that are read a member at a time; default 1: the text's own members alone. */
  levels?: number;
}

/** A member or an element that is larger than is parsed in one go. */
export class TooLargePieceError extends Error {
  constructor() {
    super('one of its values is larger than 1 MiB');
    this.name = 'TooLargePieceError';
  }
}

class CutHere extends Error {}

async function readObject(
  reader: Reader,
  members: [string, unknown][],
  { element, levels }: { element: SliceOptions['element']; levels: number },
): Promise<void> {
  reader.take(OPEN_BRACE);
  await reader.each(CLOSE_BRACE, async () => {
    const key = reader.value();
    if (typeof key !== 'string') throw notJson();
    reader.take(COLON);
    if (reader.next() === OPEN_BRACE && levels > 1) {
      const inner: [string, unknown][] = [];
      await readObject(reader, inner, { element, levels: levels - 1 });
      members.push([key, Object.fromEntries(inner)]);
      return;
    }
    if (reader.next() !== OPEN_BRACKET) {
      members.push([key, reader.value()]);
      return;
    }
    const elements: unknown[] = [];
    members.push([key, elements]);
    reader.take(OPEN_BRACKET);
    await reader.each(CLOSE_BRACKET, () => {
      const value = reader.value();
      if (element?.(key, value) !== true) elements.push(value);
      return undefined;
    });
  });
}

class Reader {
  readonly #bytes: Uint8Array;
  readonly #isCut: boolean;
  #at = 0;
  #sliceBegan = performance.now();

  constructor(bytes: Uint8Array, isCut: boolean) {
    this.#bytes = bytes;
    this.#isCut = isCut;
    if (BOM.every((byte, i) => bytes[i] === byte)) this.#at = BOM.length;
  }

  /** The next byte that is no white space, without taking it. */
  next(): number | undefined {
    while (SPACE.has(this.#bytes[this.#at] ?? 0)) this.#at++;
    return this.#bytes[this.#at];
  }

  take(expected: number): void {
    const next = this.next();
    if (next === undefined) throw this.#ended();
    if (next !== expected) throw notJson();
    this.#at++;
  }

  /** What stands between commas, up to the end of the list or object. */
  async each(end: number, one: () => Promise<void> | undefined): Promise<void> {
    if (this.next() === end) {
      this.#at++;
      return;
    }
    for (;;) {
      await one();
      if (performance.now() - this.#sliceBegan > SLICE_MS) {
        await nextTurn();
        this.#sliceBegan = performance.now();
      }
      if (this.next() === end) break;
      this.take(COMMA);
    }
    this.#at++;
  }

  /** Any value, parsed in one go. */
  value(): unknown {
    this.next();
    const start = this.#at;
    this.#at = this.#endOfValue(start);
    try {
      return JSON.parse(UTF_8.decode(this.#bytes.subarray(start, this.#at))) as unknown;
    } catch {
      throw notJson();
    }
  }

  #endOfValue(start: number): number {
    const most = Math.min(this.#bytes.length, start + MAX_PIECE_BYTES);
    let depth = 0;
    let isText = false;
    for (let at = start; at < most; at++) {
      const byte = this.#bytes[at];
      if (isText) {
        if (byte === BACKSLASH) at++;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (depth > 0 && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) depth--;
      else if (depth === 0 && ENDS.has(byte ?? 0)) return at;
    }
    if (most < this.#bytes.length) throw new TooLargePieceError();
    throw this.#ended();
  }

  #ended(): Error {
    return this.#isCut ? new CutHere() : notJson();
  }
}

function notJson(): Error {
  return new Error('body is not json');
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BOM = [0xef, 0xbb, 0xbf];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** What stands behind a value; a string is one whose quotes are within. */
const ENDS: ReadonlySet<number> = new Set([COMMA, COLON, CLOSE_BRACE, CLOSE_BRACKET, ...SPACE]);
