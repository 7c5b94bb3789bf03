import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { bundle } from '../support/bundle.ts';
import { launch } from '../journeys/support/child.ts';
import { organizationId } from '../support/ids.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { EVENTS, finishedRun } from './support/finished-run.ts';
import { openReceiver } from './support/open-receiver.ts';
import { openSharedSender } from './support/shared-sender.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const HANGING_ORGANIZATIONS = ['acme', 'brook', 'cedar', 'well'];
const HANGING_PATHS = ['/a', '/b', '/c', '/d', '/e'];
const HEALTHY = 20;

it('[W18] twenty targets that hang hold up nothing that goes to another path or for another organization at their origin, over two workers', async () => {
  let cutShort = 0;
  const receiver = await openReceiver((response, _n, { path }) => {
    if (!path.endsWith('?hang')) response.writeHead(204).end();
    else response.on('close', () => cutShort++);
  });
  cleanUp.push(() => receiver.close());
  const redis = await startOwnRedis();
  cleanUp.push(() => redis.stop());
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-neighbours-'));
  cleanUp.push(() => rm(dataDir, { recursive: true, force: true }));
  const place = { dataDir, redisUrl: redis.url, prefix: `t-${randomUUID()}` };
  const sender = await openSharedSender(place);
  cleanUp.push(() => sender.close());

  const begin = async (organization: string, path: string) => {
    const run = finishedRun(receiver.url(path), Date.now());
    const owned = { ...run, organization_id: organizationId(organization) };
    await sender.store.collection(TaskRuns).insert(owned);
    await sender.webhooks.notifier.notify(owned);
    return run.task_id;
  };
  const delivered = (task_ids: readonly string[]) =>
    until(async () => {
      const deliveries = sender.store.collection(Deliveries);
      const counts = await Promise.all(task_ids.map((task_id) => deliveries.count({ task_id, state: 'delivered' })));
      return counts.every((count) => count === EVENTS);
    });

  const program = await bundle('test/webhooks/support/shared-worker.ts');
  for (let n = 0; n < 2; n++) {
    const worker = launch(program, { PLACE: JSON.stringify(place) });
    cleanUp.push(() => worker.kill('SIGKILL'));
  }
  await delivered([await begin('well', '/hooks')]);

  const hanging = HANGING_ORGANIZATIONS.flatMap((name) => HANGING_PATHS.map((path) => [name, `${path}?hang`] as const));
  for (const [organization, path] of hanging) await begin(organization, path);
  const heldUp = () => receiver.received.filter(({ path }) => path.endsWith('?hang'));
  await until(() => new Set(heldUp().map(({ path }) => path)).size === HANGING_PATHS.length && heldUp().length >= 20);

  // The path that hangs for one organization, for another; and another path, for one that hangs.
  const task_ids = await Promise.all(
    Array.from({ length: HEALTHY }, (_, n) => (n % 2 === 0 ? begin('fern', '/a') : begin('acme', '/hooks'))),
  );
  await delivered(task_ids);
  expect(cutShort).toBe(0);
});
