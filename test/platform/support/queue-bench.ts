import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import { z } from 'zod';
import { createLogger } from '../../../src/platform/log.ts';
import type { Logger } from '../../../src/platform/log.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { BullQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import type { JobHandler, QueueSpec } from '../../../src/platform/queue/queue.ts';
import { startOwnRedis } from '../../support/own-redis.ts';
import type { OwnRedis } from '../../support/own-redis.ts';

/** What each test of the queue has of its own: a prefix, and queues and Redises that are closed after it. */
export interface QueueBench {
  prefix: string;
  /** Queues over the Redis of the run, or over another. */
  open(connection?: string, log?: Logger): BullQueues;
  ownRedis(): Promise<OwnRedis>;
}

/** The Redis of the run. */
export const sharedRedis = process.env['REDIS_TEST_URL'] ?? '';

/** A queue that takes whatever it is given. */
export function queueOf(name: string): QueueSpec<unknown> {
  return { name, schema: z.unknown() };
}

export const WORK = queueOf('work');

/** Call once in a test file, outside its tests. */
export function useQueueBench(): QueueBench {
  const logger = createLogger('silent');
  let opened: BullQueues[] = [];
  let redises: OwnRedis[] = [];
  const bench: QueueBench = {
    prefix: '',
    open(connection = sharedRedis, log = logger) {
      const created = createQueues({ connection, prefix: bench.prefix, logger: log });
      opened.push(created);
      return created;
    },
    async ownRedis() {
      const redis = await startOwnRedis();
      redises.push(redis);
      return redis;
    },
  };
  beforeEach(() => {
    bench.prefix = `test-${randomUUID()}`;
  });
  afterEach(async () => {
    await Promise.all(opened.map((queues) => queues.close()));
    await Promise.all(redises.map((redis) => redis.stop()));
    opened = [];
    redises = [];
  });
  return bench;
}

/** A handler that keeps what it was given. */
export function record(seen: unknown[]): JobHandler<unknown> {
  return (job) => {
    seen.push(job);
    return Promise.resolve(undefined);
  };
}

/** A handler that ends only once the gate is open. */
export function gated(): {
  handler: JobHandler<unknown>;
  entered: Promise<void>;
  open: () => void;
  runs: () => number;
} {
  let runs = 0;
  let enter: () => void = () => undefined;
  let open: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => (enter = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  const handler: JobHandler<unknown> = async () => {
    runs++;
    enter();
    await opened;
    return undefined;
  };
  return { handler, entered, open, runs: () => runs };
}
