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

/** Keeps nonces in this process: for one process that receives everything. */
export function memoryReplayStore(noncesPerKey = DEFAULT_NONCES_PER_KEY): ReplayStore {
  const byKey = new Map<string, Map<string, number>>();

  function liveNonces(keyid: string, now: number): Map<string, number> {
    const nonces = byKey.get(keyid) ?? new Map<string, number>();
    for (const [nonce, until] of nonces) {
      if (until >= now) break;
      nonces.delete(nonce);
    }
    if (nonces.size === 0) byKey.delete(keyid);
    return nonces;
  }

  return {
    isFull(keyid, now) {
      return Promise.resolve(liveNonces(keyid, now).size >= noncesPerKey);
    },
    record(keyid, nonce, until, now) {
      const nonces = liveNonces(keyid, now);
      if ((nonces.get(nonce) ?? -Infinity) >= now) return Promise.resolve('seen');
      if (nonces.size >= noncesPerKey) return Promise.resolve('full');
      nonces.delete(nonce);
      nonces.set(nonce, until);
      byKey.set(keyid, nonces);
      return Promise.resolve('recorded');
    },
  };
}
