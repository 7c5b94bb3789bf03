import type { Response } from 'express';
import { AppError } from '../../platform/errors.ts';
import type { RateLimiter } from '../../platform/redis/rate-limit.ts';
import type { EndpointLimit } from '../endpoint.ts';

/**
 * Takes a point of `key` and says in the answer how the limit stands. The answered function gives the point back, for limits
 * that count only refused calls.
 * @throws {AppError} `RATE_LIMITED` with `retry_after` (rule R14).
 */
export async function takePoint(
  limiter: RateLimiter,
  limit: EndpointLimit,
  key: string,
  res: Response,
): Promise<() => Promise<void>> {
  const verdict = await limiter.take(limit, key);
  res.set({
    'RateLimit-Policy': `${limit.points};w=${limit.seconds}`,
    'RateLimit-Limit': String(limit.points),
    'RateLimit-Remaining': String(verdict.remaining),
    'RateLimit-Reset': String(verdict.resetSeconds),
  });
  if (verdict.allowed) return () => limiter.giveBack(limit, key);
  const what = limit.onlyRefused === true ? 'refused requests' : 'requests';
  throw new AppError('RATE_LIMITED', `too many ${what}; try again in ${verdict.resetSeconds} seconds`, {
    retry_after: verdict.resetSeconds,
  });
}
