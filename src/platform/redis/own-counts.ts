import type { RateLimit } from './rate-limit.ts';

/** What one process has counted for itself, while Redis is away. */
export interface OwnCounts {
  /** Takes so many points unless fewer are left; none are taken by asking for 0. */
  take(limit: RateLimit, key: string, points: number): OwnCount;
  giveBack(limit: RateLimit, key: string, points: number): void;
}

/** How a key stands. `restMs`: until its window ends; not above 0 where none has begun. */
export interface OwnCount {
  isTaken: boolean;
  used: number;
  restMs: number;
}

/** Keys remembered at once. Beyond, those that began first are forgotten, so that no stranger can fill memory. */
const MAX_KEYS = 50_000;

/** @param nowMs any clock that only goes forward. */
export function ownCounts(nowMs: () => number = () => performance.now()): OwnCounts {
  const counts = new Map<string, { used: number; until: number }>();

  function current(limit: RateLimit, key: string): { used: number; until: number } | undefined {
    const id = `${limit.name}:${key}`;
    const found = counts.get(id);
    if (found !== undefined && found.until <= nowMs()) counts.delete(id);
    return counts.get(id);
  }

  return {
    take(limit, key, points) {
      const now = nowMs();
      const known = current(limit, key);
      const used = known?.used ?? 0;
      if (used + points > limit.points || points === 0) {
        return { isTaken: points === 0, used, restMs: (known?.until ?? now) - now };
      }
      const next = { used: used + points, until: known?.until ?? now + limit.seconds * 1000 };
      const oldest = known === undefined && counts.size >= MAX_KEYS ? counts.keys().next().value : undefined;
      if (oldest !== undefined) counts.delete(oldest);
      counts.set(`${limit.name}:${key}`, next);
      return { isTaken: true, used: next.used, restMs: next.until - now };
    },
    giveBack(limit, key, points) {
      const known = current(limit, key);
      if (known !== undefined) known.used = Math.max(0, known.used - points);
    },
  };
}
