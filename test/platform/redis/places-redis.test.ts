import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { createPlaces } from '../../../src/platform/redis/places-redis.ts';
import { closeRedis, createOutageLog, openRedis } from '../../../src/platform/redis/redis-connection.ts';
import { until } from '../../support/until.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

/** The places of one process; `die` leaves what it holds as it is. */
async function newProcess(prefix: string, lease: { leaseMs: number; renewEveryMs: number }) {
  const outages = createOutageLog(createLogger('silent'), 'places');
  const redis = openRedis(process.env['REDIS_TEST_URL'] ?? '', outages);
  const places = createPlaces(redis, prefix, randomUUID, lease);
  cleanUp.push(() => closeRedis(redis, outages));
  await until(() => redis.status === 'ready');
  return {
    redis,
    places,
    die: () => {
      places.close();
    },
  };
}

it('[S2.processes] the places of a process that died are free once their lease is over', async () => {
  const prefix = `places-${randomUUID()}`;
  const lease = { leaseMs: 300, renewEveryMs: 3_600_000 };
  const [one, other] = [await newProcess(prefix, lease), await newProcess(prefix, lease)];
  expect(await one.places.take('a', 1)).toBeDefined();
  one.die();
  await until(async () => (await other.places.take('a', 1)) !== undefined);
});

it('[S2.away] places that are held are counted again after Redis has forgotten them', async () => {
  const prefix = `places-${randomUUID()}`;
  const lease = { leaseMs: 60_000, renewEveryMs: 20 };
  const [one, other] = [await newProcess(prefix, lease), await newProcess(prefix, lease)];
  const place = await one.places.take('a', 1);
  expect(place).toBeDefined();
  await one.redis.del(`${prefix}:places:a`);
  await until(async () => {
    const taken = await other.places.take('a', 1);
    taken?.letGo();
    return taken === undefined;
  });
  place?.letGo();
  await until(async () => (await other.places.take('a', 1)) !== undefined);
  one.die();
  other.die();
});
