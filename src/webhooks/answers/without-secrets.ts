import { STARS } from '../delivery/sent-body.ts';
import { unescaped } from './unescaped.ts';
import type { Unescaped } from './unescaped.ts';

/** So much of the beginning of a secret is taken for it: whoever wrote the text may have cut it. */
const BEGINNING = 8;

type Range = readonly [from: number, to: number];

/**
 * A text with stars for each secret in it, however that is escaped there, and for what begins like one. Pure.
 * @param isCut The text goes on: at its end the least beginning of a secret is one.
 */
export function withoutSecrets(text: string, secrets: readonly string[], isCut: boolean): string {
  const plain = unescaped(text);
  const wanted = new Set(secrets.map((secret) => unescaped(secret).text));
  const found = [...wanted].filter((secret) => secret !== '').flatMap((secret) => rangesOf(plain, secret, isCut));
  let shown = '';
  let end = 0;
  for (const [from, to] of found.sort((a, b) => a[0] - b[0])) {
    if (from >= end) shown += text.slice(end, from) + STARS;
    end = Math.max(end, to);
  }
  return shown + text.slice(end);
}

/** Where a secret, or what begins like it, stands in the text that was unescaped. */
function rangesOf({ text, from, to }: Unescaped, secret: string, isCut: boolean): Range[] {
  const ranges: Range[] = [];
  const add = (place: number, length: number) => ranges.push([from[place] ?? 0, to[place + length - 1] ?? 0]);
  const beginning = secret.slice(0, BEGINNING);
  for (let place = text.indexOf(beginning); place !== -1;) {
    let length = beginning.length;
    while (length < secret.length && text[place + length] === secret[length]) length++;
    add(place, length);
    place = text.indexOf(beginning, place + length);
  }
  if (!isCut) return ranges;
  for (let length = beginning.length - 1; length > 0; length--)
    if (text.endsWith(secret.slice(0, length))) {
      add(text.length - length, length);
      break;
    }
  return ranges;
}
