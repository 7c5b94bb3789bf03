import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { limitedCredentials } from '../../../src/platform/security/limited-credentials.ts';
import { createBudgets } from '../../../src/platform/budget/budgets.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { noCounters } from '../../../src/platform/metrics/metrics.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit-redis.ts';
import { organizationId } from '../../support/ids.ts';
import { slowWindows } from '../../support/slow-windows.ts';

const caller = { organization_id: organizationId('org_a'), principal_id: 'key_a', scopes: [] };

let limiter: ReturnType<typeof createRateLimiter>;
let looks: string[];
let nowMs: number;
let address: string;
let valid: string[];
/** The headers that answers got. */
let said: Record<string, string>[];
let limited: ReturnType<typeof oneProcess>;
beforeEach(() => {
  const connection = process.env['REDIS_TEST_URL'] ?? '';
  limiter = createRateLimiter({ connection, prefix: `failed-${randomUUID()}`, logger: createLogger('silent') });
  [looks, nowMs, address, valid, said] = [[], 1_800_000_000_000, '192.0.2.1', [], []];
  limited = oneProcess();
});
afterEach(() => limiter.close());

/** What one process has; all share the counts. Good are the `valid` and what begins with `good`. */
function oneProcess() {
  const clock = { now: () => nowMs };
  const sizes = { failed_credentials: 3 };
  const budgets = createBudgets({ limiter: slowWindows(limiter), clock, counters: noCounters, sizes });
  const look = (credential: string) => {
    looks.push(credential);
    return Promise.resolve(credential.startsWith('good') || valid.includes(credential) ? caller : undefined);
  };
  const limitedLook = limitedCredentials(look, { budgets, clock });
  return { authenticate: (credential: string) => limitedLook(credential, { address, say: (all) => said.push(all) }) };
}

const refusal = { code: 'RATE_LIMITED', details: { details: { budget: { name: 'failed_credentials', size: 3 } } } };

async function spendAll(): Promise<void> {
  for (const bad of ['bad-1', 'bad-2', 'bad-3'].map((name) => `${name} from ${address}`))
    expect(await limited.authenticate(bad)).toBeUndefined();
}

it('[S2.credentials] one that was wrong is not looked up again for 5 s, and counts once', async () => {
  for (let time = 0; time < 10; time++) expect(await limited.authenticate('bad')).toBeUndefined();
  expect(looks).toEqual(['bad']);
  nowMs += 5_001;
  expect(await limited.authenticate('bad')).toBeUndefined();
  expect(looks).toEqual(['bad', 'bad']);
});

it('[S2.credentials] after so many wrong ones a new one is refused without a look, until the minute is over', async () => {
  await spendAll();
  for (const next of ['bad-4', 'bad-5', 'good-but-new'])
    await expect(limited.authenticate(next)).rejects.toMatchObject(refusal);
  expect(looks).toHaveLength(3);
  nowMs += 3_600_000;
  expect(await limited.authenticate('good-but-new')).toEqual(caller);
});

it('[S2.credentials] one that has been good is looked at as ever, however many wrong ones its neighbours send', async () => {
  expect(await limited.authenticate('good')).toEqual(caller);
  await spendAll();
  await expect(limited.authenticate('bad-4')).rejects.toMatchObject(refusal);
  const before = looks.length;
  for (let time = 0; time < 3; time++) expect(await limited.authenticate('good')).toEqual(caller);
  expect(looks.slice(before)).toEqual(['good', 'good', 'good']);
});

it('[S2.credentials] nor is the next token of a person who had a good one from there, and no other', async () => {
  const token = (sub: string, jti: number) =>
    ['{"alg":"ES256"}', JSON.stringify({ sub, jti }), 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
  valid = [token('ann', 1), token('ann', 2), token('bob', 1)];
  expect(await limited.authenticate(token('ann', 1))).toEqual(caller);
  await spendAll();
  expect(await limited.authenticate(token('ann', 2))).toEqual(caller);
  await expect(limited.authenticate(token('bob', 1))).rejects.toMatchObject(refusal);
  address = '192.0.2.2';
  await spendAll();
  await expect(limited.authenticate(token('ann', 3))).rejects.toMatchObject(refusal);
});

it('[S2.credentials] an answer says how many wrong ones are left to its address where one counted or is refused', async () => {
  await spendAll();
  await limited.authenticate('bad-1 from 192.0.2.1');
  await expect(limited.authenticate('bad-4')).rejects.toMatchObject(refusal);
  expect(said.map((headers) => headers['RateLimit-Remaining'])).toEqual(['2', '1', '0', '0']);
});

it('[S2.credentials] addresses are counted apart, an IPv6 /64 as one', async () => {
  address = '2001:db8:1:1::1';
  await spendAll();
  address = '2001:db8:1:1:ffff::2';
  await expect(limited.authenticate('bad-4')).rejects.toMatchObject(refusal);
  address = '2001:db8:1:2::1';
  expect(await limited.authenticate('bad-5')).toBeUndefined();
});

it('[S2.credentials] wrong ones count over processes', async () => {
  await spendAll();
  const other = oneProcess();
  expect(await other.authenticate('bad-4')).toBeUndefined();
  await expect(other.authenticate('bad-5')).rejects.toMatchObject(refusal);
});

it('[S2.credentials] one that comes many times at once is looked at once, and none of them is refused', async () => {
  const all = await Promise.all(Array.from({ length: 300 }, () => limited.authenticate('good')));
  expect(new Set(all)).toEqual(new Set([caller]));
  expect(looks).toEqual(['good']);
});
