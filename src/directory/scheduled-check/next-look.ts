import { createHash } from 'node:crypto';

const DAY_MS = 24 * 3_600_000;
/** After the first failure; each further one doubles it. */
const AFTER_FAILURE_MS = 15 * 60_000;
/** By how much of the time looks of different subjects are spread. */
const SPREAD = 0.2;

/**
 * How long after a look the next one is, in milliseconds: a day after a success; after failures 15 minutes, 30, an hour and so on
 * up to a day. Each a little earlier, by the subject, so that what failed together does not come back together.
 */
export function nextLookMs(checkId: string, failures: number): number {
  const most = failures === 0 ? DAY_MS : Math.min(DAY_MS, AFTER_FAILURE_MS * 2 ** (failures - 1));
  return Math.round(most * (1 - SPREAD * fractionOf(`${checkId} ${failures}`)));
}

/** The same for the same words, from 0 up to 1. */
function fractionOf(words: string): number {
  return createHash('sha256').update(words).digest().readUInt32BE(0) / 2 ** 32;
}
