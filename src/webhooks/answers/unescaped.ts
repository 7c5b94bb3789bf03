/** A text without its escapes, and where in that text each of its characters comes from. */
export interface Unescaped {
  text: string;
  from: readonly number[];
  to: readonly number[];
}

/** What is written in an escape is looked at again, no deeper than this. */
const DEEPEST = 6;

/**
 * A text as it reads however it was escaped: in JSON, once or in JSON in JSON, in URLs and forms, and in HTML. A line break is an
 * `n`, as in JSON without its backslash, and a space a `+`. So one text is found in another by the unescaped forms of both,
 * whatever program wrote it. Pure.
 */
export function unescaped(text: string): Unescaped {
  let plain: Unescaped = {
    text,
    from: Array.from(text.split(''), (_, place) => place),
    to: Array.from(text.split(''), (_, place) => place + 1),
  };
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next = once(plain);
    if (next.text === plain.text) break;
    plain = next;
  }
  return plain;
}

/** Of several backslashes each is found by itself, so that the time is that of the length. */
const ESCAPE =
  /\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|(\\)|((?:%[0-9a-f]{2})+)|&#(\d{1,7});|&#x([0-9a-f]{1,6});|&(amp|lt|gt|quot|apos);|([\n\r\t\b\f ])/gi;

function once({ text, from, to }: Unescaped): Unescaped {
  const parts: string[] = [];
  const next = { from: [] as number[], to: [] as number[] };
  let end = 0;
  const keep = (until: number) => {
    parts.push(text.slice(end, until));
    for (let place = end; place < until; place++) {
      next.from.push(from[place] ?? 0);
      next.to.push(to[place] ?? 0);
    }
  };
  for (const found of text.matchAll(ESCAPE)) {
    const meant = meaning(found);
    keep(found.index);
    end = found.index + found[0].length;
    parts.push(meant);
    // Every unit of what is meant comes from the whole escape.
    next.from.push(...Array<number>(meant.length).fill(from[found.index] ?? 0));
    next.to.push(...Array<number>(meant.length).fill(to[end - 1] ?? 0));
  }
  keep(text.length);
  return { text: parts.join(''), ...next };
}

function meaning([, u4, x2, backslash, percent, decimal, hex, name, control]: RegExpMatchArray): string {
  if (backslash !== undefined) return '';
  if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString('utf8');
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? '';
  if (control !== undefined) return CONTROLS[control] ?? '';
  const point = decimal === undefined ? Number.parseInt(u4 ?? x2 ?? hex ?? '0', 16) : Number(decimal);
  return u4 === undefined ? String.fromCodePoint(Math.min(point, 0x10ffff)) : String.fromCharCode(point);
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const CONTROLS: Readonly<Record<string, string>> = {
  ...{ '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' },
  ' ': '+',
};
