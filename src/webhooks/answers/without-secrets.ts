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

/**
 * Where a secret, or what begins like it, stands in the text that was unescaped, by Knuth, Morris and Pratt: in one pass, whatever a
 * receiver makes of it.
 */
function rangesOf({ text, from, to }: Unescaped, secret: string, isCut: boolean): Range[] {
  const places: { from: number; to: number }[] = [];
  const least = Math.min(BEGINNING, secret.length);
  const shorter = shorterBeginnings(secret);
  let length = 0;
  const add = (end: number) => {
    const last = places.at(-1);
    if (last !== undefined && end - length < last.to) last.to = end;
    else places.push({ from: end - length, to: end });
  };
  for (let place = 0; place < text.length; place++) {
    while (length > 0 && secret[length] !== text[place]) length = shorter[length - 1] ?? 0;
    if (secret[length] === text[place]) length++;
    if (length >= least) add(place + 1);
  }
  if (isCut && length > 0) add(text.length);
  return places.map((one) => [from[one.from] ?? 0, to[one.to - 1] ?? 0]);
}

/** Of each beginning of a secret, how long the longest shorter one is that it ends with. */
function shorterBeginnings(secret: string): number[] {
  const found = [0];
  let length = 0;
  for (let place = 1; place < secret.length; place++) {
    while (length > 0 && secret[length] !== secret[place]) length = found[length - 1] ?? 0;
    if (secret[length] === secret[place]) length++;
    found.push(length);
  }
  return found;
}
