import { DEFAULT_NONCES_PER_KEY } from './replay-store.ts';
import type { ReplayStore } from './replay-store.ts';

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
