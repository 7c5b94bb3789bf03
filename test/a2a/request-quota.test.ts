import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requestQuota } from '../../src/a2a/request-quota.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createRateLimiter } from '../../src/platform/redis/rate-limit-redis.ts';
import { organizationId } from '../support/ids.ts';
import { slowWindows } from '../support/slow-windows.ts';

let limiter: ReturnType<typeof createRateLimiter>;
beforeEach(() => {
  const connection = process.env['REDIS_TEST_URL'] ?? '';
  limiter = createRateLimiter({ connection, prefix: `quota-${randomUUID()}`, logger: createLogger('silent') });
});
afterEach(() => limiter.close());

const caller = { organization_id: organizationId('org_a'), principal_id: 'key_a', scopes: [] };
/** A clock that stands, so that no share runs out. */
const clock = { now: () => 1_000 };

it('[R14] lets an organization have its whole quota at once, at one server or two, and not one request more', async () => {
  const options = { limiter: slowWindows(limiter), clock, requestsPerSecond: 200 };
  const [one, other] = [requestQuota(options), requestQuota(options)];
  const outcomes = await Promise.allSettled(Array.from({ length: 260 }, (_, n) => (n % 2 === 0 ? one : other)(caller)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  expect(refused).toHaveLength(60);
  expect(refused[0]).toMatchObject({ code: 'RATE_LIMITED', message: 'send at most 200 requests a second' });
});

it('[R14] fifty requests of one moment cost no more than they are', async () => {
  const admit = requestQuota({ limiter: slowWindows(limiter), clock: systemClock, requestsPerSecond: 2_000 });
  await Promise.all(Array.from({ length: 50 }, () => admit(caller)));
});
