import type { Caller } from '../directory/caller.ts';
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import type { OrganizationId } from '../platform/organization-id.ts';
import type { RateLimiter } from '../platform/redis/rate-limit.ts';

export interface RequestQuotaOptions {
  limiter: RateLimiter;
  clock: Clock;
  /** Of one organization, at all servers together. */
  requestsPerSecond: number;
}

/**
 * Lets an organization make so many requests a second, whichever servers they go to. Each server takes its share from
 * Redis in blocks and counts within a block by itself, so that a busy caller costs one round trip for many requests.
 * @throws {AppError} `RATE_LIMITED` with the seconds to wait.
 */
export function requestQuota({ limiter, clock, requestsPerSecond }: RequestQuotaOptions) {
  const block = Math.max(1, Math.floor(requestsPerSecond / BLOCKS_PER_SECOND));
  const limit = { name: 'a2a-requests', points: Math.floor(requestsPerSecond / block), seconds: 1 };
  const shares = new Map<string, { left: number; until: number }>();
  /** At most one block at a time is asked for: those who wait for it share it. */
  const asked = new Map<string, Promise<void>>();

  async function takeBlock(organization_id: OrganizationId): Promise<void> {
    const { allowed, resetSeconds } = await limiter.take(limit, organization_id);
    if (!allowed) {
      throw new AppError('RATE_LIMITED', `send at most ${requestsPerSecond} requests a second`, {
        retry_after: resetSeconds,
      });
    }
    if (shares.size >= MAX_SHARES) shares.clear();
    shares.set(organization_id, { left: block, until: clock.now() + 1000 });
  }

  return async ({ organization_id }: Caller): Promise<void> => {
    for (;;) {
      const share = shares.get(organization_id);
      if (share !== undefined && share.left > 0 && clock.now() < share.until) {
        share.left--;
        return;
      }
      let taking = asked.get(organization_id);
      if (taking === undefined) {
        taking = takeBlock(organization_id).finally(() => asked.delete(organization_id));
        asked.set(organization_id, taking);
      }
      await taking;
    }
  };
}

/** So finely is a second's quota dealt out. */
const BLOCKS_PER_SECOND = 20;
/** Shares remembered at once; to forget them all costs each caller one round trip. */
const MAX_SHARES = 10_000;
