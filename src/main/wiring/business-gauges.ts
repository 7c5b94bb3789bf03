import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Collection, Row, Where } from '../../platform/store/collection.ts';
import { TaskRuns } from '../../runtime/task-run.ts';
import { Approvals, OPEN_APPROVALS } from '../../sales/approval/approval.ts';
import { MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import { Deliveries } from '../../webhooks/delivery/delivery.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { Infrastructure } from './infrastructure.ts';
import { COUNT_EVERY_MS, seldom } from './seldom.ts';
import type { Sales } from './sales.ts';

/** Gauges of one look at the queues are read together, in milliseconds. */
const ONE_LOOK_MS = 1_000;

/** And no further than this: an index is read to its end else. */
const COUNTED_TO = 100_000;

/** A report webhook that is due for this long is late, in milliseconds. */
const LATE_MS = 15 * 60_000;

/** Says how the gauges of queues, of what is owed and of what is sold are read. */
export function readBusinessGauges(
  { metrics, queues, clock, store }: Infrastructure,
  { mediaBuys }: Sales,
  { keys }: Webhooks,
): void {
  const runs = store.collection(TaskRuns);
  const approvals = store.collection(Approvals);
  const ageOf = (at: string | undefined) =>
    at === undefined ? 0 : Math.max(0, clock.now() - fromTimestamp(at)) / 1000;
  const now = () => toTimestamp(clock.now());

  const late = dueIn(mediaBuys, 'reporting_due_at', () => toTimestamp(clock.now() - LATE_MS));

  const looks = seldom(clock, ONE_LOOK_MS, () => queues.looks());
  metrics.gauge('queue_jobs', async () =>
    (await looks()).flatMap(({ queue, jobs }) =>
      Object.entries(jobs).map(([state, value]) => ({ labels: { queue, state }, value })),
    ),
  );
  metrics.gauge('queue_oldest_seconds', async () =>
    (await looks()).map(({ queue, oldestMs }) => ({
      labels: { queue },
      value: oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs) / 1000,
    })),
  );
  metrics.gauge('worker_slots', () =>
    queues.slots().flatMap(({ queue, places, busy }) => [
      { labels: { queue, kind: 'all' }, value: places },
      { labels: { queue, kind: 'busy' }, value: busy },
    ]),
  );
  const owing = Object.entries({
    turns: dueIn(runs, 'run_due_at', now),
    events: dueIn(runs, 'notify_due_at', now),
    orders: dueIn(mediaBuys, 'order_due_at', now),
    webhooks: dueIn(store.collection(Deliveries), 'next_attempt_at', now),
  });
  metrics.gauge(
    'owed',
    seldom(clock, COUNT_EVERY_MS, () =>
      Promise.all(owing.map(async ([kind, due]) => ({ labels: { kind }, value: await due.count() }))),
    ),
  );
  metrics.gauge('oldest_owed_seconds', () =>
    Promise.all(owing.map(async ([kind, due]) => ({ labels: { kind }, value: ageOf(await due.oldest()) }))),
  );
  metrics.gauge(
    'approvals_open',
    seldom(clock, COUNT_EVERY_MS, async () => [
      { labels: {}, value: await approvals.count({ status: { in: OPEN_APPROVALS } }, { most: COUNTED_TO }) },
    ]),
  );
  metrics.gauge('approval_oldest_seconds', async () => {
    const sort = { field: 'requested_at', direction: 'asc' } as const;
    const oldest = await approvals.find({ where: { status: { in: OPEN_APPROVALS } }, sort, limit: 1 });
    return [{ labels: {}, value: ageOf(oldest.rows[0]?.requested_at) }];
  });
  metrics.gauge(
    'media_buys',
    seldom(clock, COUNT_EVERY_MS, () =>
      Promise.all(
        MediaBuyStatus.options.map(async (status) => ({
          labels: { status },
          value: await mediaBuys.count({ status }, { most: COUNTED_TO }),
        })),
      ),
    ),
  );
  metrics.gauge(
    'reports_late',
    seldom(clock, COUNT_EVERY_MS, async () => [{ labels: {}, value: await late.count() }]),
  );
  metrics.gauge('signing_key_age_seconds', async () =>
    (await keys.list())
      .filter(({ part }) => part === 'signing')
      .map(({ webhooks_only = false, signs_from }) => ({
        labels: { use: webhooks_only ? 'webhooks' : 'all' },
        value: ageOf(signs_from),
      })),
  );
}

/** Rows that are due by a field, by an index on it. */
function dueIn<R extends Row>(rows: Collection<R>, field: keyof R & string, by: () => string) {
  const where = () => ({ [field]: { gt: '', lte: by() } }) as Where<R>;
  return {
    count: () => rows.count(where(), { most: COUNTED_TO }),
    async oldest() {
      const found = await rows.find({ where: where(), sort: { field, direction: 'asc' }, limit: 1 });
      return found.rows[0]?.[field] as string | undefined;
    },
  };
}
