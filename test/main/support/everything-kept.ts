import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { allRows } from '../../../src/platform/store/all-rows.ts';
import type { CollectionSpec, Row } from '../../../src/platform/store/collection.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';

/** All that an agent's store holds, as rows and, on the embedded store, as the bytes of its files. */
export async function everythingStored({ core, env }: TestAgent): Promise<string> {
  const parts: string[] = [];
  for (const spec of COLLECTIONS as readonly unknown[]) {
    const rows = core.store.collection(spec as CollectionSpec<Row>);
    for await (const row of allRows(rows, { where: {} })) parts.push(JSON.stringify(row));
  }
  if (core.store.kind === 'sqlite')
    for (const file of ['store.db', 'store.db-wal'])
      parts.push(await readFile(join(env['DATA_DIR'] ?? '', file), 'latin1'));
  return parts.join('\n');
}

/** All that an agent keeps in Redis, keys and values. */
export async function everythingQueued({ core }: TestAgent): Promise<string> {
  const [queue] = core.queues.bullQueues() as BullQueue[];
  if (queue === undefined) throw new Error('an agent without queues');
  const redis = new Redis((process.env['REDIS_TEST_URL'] ?? '').replace('unix://', ''));
  try {
    const keys = await redis.keys(`${queue.opts.prefix}*`);
    return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await valueOf(redis, key)])));
  } finally {
    redis.disconnect();
  }
}

async function valueOf(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return redis.hgetall(key);
    case 'zset':
      return redis.zrange(key, '0', '-1');
    case 'list':
      return redis.lrange(key, 0, -1);
    case 'set':
      return redis.smembers(key);
    case 'stream':
      return redis.xrange(key, '-', '+');
    default:
      return redis.get(key);
  }
}
