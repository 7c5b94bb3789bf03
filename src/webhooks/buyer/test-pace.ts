import { AppError } from '../../platform/errors.ts';
import type { RateLimit, RateLimiter } from '../../platform/redis/rate-limit.ts';

/**
 * Leave to send one test event to an origin now.
 * @throws {AppError} `RATE_LIMITED` with `retry_after`.
 */
export type TestPace = (destination: string) => Promise<void>;

/** One a second to an origin from the whole installation, so that nobody can aim us at a stranger (rule W18). */
const PACE: RateLimit = { name: 'webhook-tests', points: 1, seconds: 1 };

/** The pace that all processes keep together. */
export function createTestPace(limiter: Pick<RateLimiter, 'take'>): TestPace {
  return async (destination) => {
    const { allowed, resetSeconds } = await limiter.take(PACE, destination);
    if (allowed) return;
    throw new AppError('RATE_LIMITED', 'another test event has just gone to this destination; try again in a second', {
      field: 'url',
      retry_after: resetSeconds,
    });
  };
}

/** For one process that sends to nobody it must spare. */
export const noPace: TestPace = () => Promise.resolve();
