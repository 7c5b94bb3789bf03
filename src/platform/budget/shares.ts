import type { Clock } from '../clock.ts';
import type { RateLimit, RateLimiter, RateVerdict } from '../redis/rate-limit.ts';

/** Takes from what a process has in hand. What it answers as left is what was left in Redis when it last asked, and what it has in hand. */
export type TakeFromShare = (limit: RateLimit, key: string, amount: number) => Promise<RateVerdict>;

interface Share {
  left: number;
  /** What nobody had taken when this process last asked. */
  remaining: number;
  until: number;
}

/** A limit is dealt out to processes in so many blocks. */
const BLOCKS = 20;
/** No block is larger, so that little is lost with a process that ends, or kept from another by one that is idle. */
const MAX_BLOCK = 8_000_000;
/** Shares remembered at once; to forget them all costs each caller one round trip, and what was left of a block. */
const MAX_SHARES = 10_000;

/**
 * Counts over all processes what is asked for at every request: each process takes its share from Redis in blocks and counts
 * within a block by itself, so that a busy caller costs one round trip for many requests. One at a time asks for a block; the
 * others of that moment wait for it and share it, or its refusal.
 */
export function createShares({ limiter, clock }: { limiter: RateLimiter; clock: Clock }): TakeFromShare {
  const shares = new Map<string, Share>();
  const asking = new Map<string, { amount: number; refused: Promise<RateVerdict | undefined> }>();

  async function ask(id: string, limit: RateLimit, key: string, amount: number): Promise<RateVerdict | undefined> {
    const block = Math.max(amount, Math.min(MAX_BLOCK, Math.floor(limit.points / BLOCKS)), 1);
    let taken = block;
    let verdict = await limiter.take(limit, key, block);
    // Less than a block may be left of it all.
    if (!verdict.allowed && block > amount) verdict = await limiter.take(limit, key, (taken = amount));
    if (!verdict.allowed) return verdict;
    const now = clock.now();
    const share = shares.get(id);
    const left = share !== undefined && now < share.until ? share.left : 0;
    if (shares.size >= MAX_SHARES) shares.clear();
    shares.set(id, { left: left + taken, remaining: verdict.remaining, until: now + verdict.resetMs });
    return undefined;
  }

  return async (limit, key, amount) => {
    const id = `${limit.name}:${key}`;
    for (;;) {
      const share = shares.get(id);
      const resetMs = (share?.until ?? 0) - clock.now();
      if (share !== undefined && share.left >= amount && resetMs > 0) {
        share.left -= amount;
        const resetSeconds = Math.ceil(resetMs / 1000);
        return { allowed: true, remaining: share.remaining + share.left, resetMs, resetSeconds };
      }
      let asked = asking.get(id);
      if (asked === undefined) {
        asked = { amount, refused: ask(id, limit, key, amount).finally(() => asking.delete(id)) };
        asking.set(id, asked);
      }
      const refused = await asked.refused;
      if (refused !== undefined && amount >= asked.amount) return refused;
    }
  };
}
