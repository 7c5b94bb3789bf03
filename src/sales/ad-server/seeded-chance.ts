import { createHash } from 'node:crypto';

/** A whole number from `low` to `high`, both included: always the same for the same words. */
export function drawBetween(words: string, low: number, high: number): number {
  const drawn = createHash('sha1').update(words).digest().readUInt32BE(0);
  return low + (drawn % (high - low + 1));
}
