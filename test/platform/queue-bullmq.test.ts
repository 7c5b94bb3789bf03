import { afterAll, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { createLogger } from '../../src/platform/log.ts';
import { createQueues } from '../../src/platform/queue-bullmq.ts';

const queues = createQueues({
  connection: process.env['REDIS_TEST_URL'] ?? '',
  prefix: `t-${randomUUID()}`,
  logger: createLogger('debug'),
});
afterAll(() => queues.close());

it('gives a job to a worker', async () => {
  const got = new Promise((resolve) => {
    queues.work(
      'a',
      (job) => {
        resolve(job);
        return Promise.resolve(undefined);
      },
      { concurrency: 1 },
    );
  });
  await queues.queue('a').add('job-1', { x: 1 });
  expect(await got).toEqual({ id: 'job-1', data: { x: 1 } });
});
