import { isIPv6 } from 'node:net';

/** The eight 16-bit words of an IPv6 address in any spelling; undefined for anything else and for one with a zone id. */
export function ipv6Words(text: string): readonly number[] | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const before = wordsOf(head);
  if (tail === undefined) return before;
  const after = wordsOf(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** The dotted form of the IPv4 address that two 16-bit words hold. */
export function dottedIPv4(high: number, low: number): string {
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}

function wordsOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((word) => (word.includes('.') ? wordsOfIPv4(word) : [parseInt(word, 16)]));
}

function wordsOfIPv4(dotted: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [(a << 8) | b, (c << 8) | d];
}
