import { fromTimestamp } from '../../platform/clock.ts';
import { lastBackup } from '../../platform/store/backup/backup-mark.ts';
import { within } from '../../platform/within.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { Infrastructure } from './infrastructure.ts';
import { COUNT_EVERY_MS, seldom } from './seldom.ts';
import { productVersion } from './product-version.ts';

/** After so long a part counts for one that is away, in milliseconds. */
const PING_WITHIN_MS = 1_500;

/** Says how the gauges are read in a process that is made of this. */
export async function readGauges(
  { metrics, store, queues, clock, budgets }: Infrastructure,
  { operator, troubles }: Webhooks,
): Promise<void> {
  const build = { version: await productVersion(), node: process.version };
  metrics.gauge('build_info', () => [{ labels: build, value: 1 }]);
  metrics.gauge('up', async () => {
    const [hasStore, hasQueue] = await Promise.all([upOf(store.ping()), upOf(queues.ping())]);
    return [
      { labels: { part: 'store' }, value: hasStore },
      { labels: { part: 'queue' }, value: hasQueue },
    ];
  });
  metrics.gauge('budget_size', () => budgets.sizes().map(([budget, value]) => ({ labels: { budget }, value })));
  metrics.gauge('queue_paused', async () =>
    (await queues.pauses.list()).map(({ queue, is_paused }) => ({ labels: { queue }, value: is_paused ? 1 : 0 })),
  );
  metrics.gauge('backup_age_seconds', async () => {
    const last = await lastBackup(store);
    return last === undefined
      ? []
      : [{ labels: {}, value: Math.max(0, clock.now() - fromTimestamp(last.made_at)) / 1000 }];
  });
  const countPending = seldom(clock, COUNT_EVERY_MS, () => operator.countPending());
  metrics.gauge('webhook_pending', async () => [{ labels: {}, value: await countPending() }]);
  metrics.gauge('webhook_oldest_pending_seconds', async () => {
    const oldest = await operator.oldestPending();
    const ageMs = oldest === undefined ? 0 : Math.max(0, clock.now() - fromTimestamp(oldest));
    return [{ labels: {}, value: ageMs / 1000 }];
  });
  metrics.gauge('webhook_destinations', async () => [
    { labels: { state: 'paused' }, value: (await operator.paused()).length },
    { labels: { state: 'failing' }, value: await troubles.countFailing() },
  ]);
}

/** 1 for a part that answers in time, else 0. */
async function upOf(ping: Promise<void>): Promise<0 | 1> {
  const hasAnswered = await within(
    PING_WITHIN_MS,
    ping.then(() => true),
    () => false,
  ).catch(() => false);
  return hasAnswered ? 1 : 0;
}
