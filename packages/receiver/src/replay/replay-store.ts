/** How many nonces of one key are remembered at a time before its signatures are refused as abuse. */
export const DEFAULT_NONCES_PER_KEY = 100_000;

/** Remembers which nonces of which key have been used (rule W12, steps 9, 12, 13). Times in milliseconds. */
export interface ReplayStore {
  /** Whether this key has used up its share of nonces. A cheap look before any cryptography; it records nothing. */
  isFull(keyid: string, now: number): Promise<boolean>;
  /**
   * Records a nonce up to and including `until`, in one atomic step: of two requests with one nonce only one is told `recorded`.
   * `full`: the key's share is used up, and nothing was recorded. Nothing is ever forgotten early to make room.
   */
  record(keyid: string, nonce: string, until: number, now: number): Promise<'recorded' | 'seen' | 'full'>;
}
