import { randomUUID } from 'node:crypto';
import { composeSales } from '../../../src/main/wiring/sales.ts';
import type { Sales } from '../../../src/main/wiring/sales.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { Collection, Store } from '../../../src/platform/store/collection.ts';
import { DAY_MS } from '../../../src/platform/hours.ts';
import { createQueues } from '../../../src/platform/queue/queue-bullmq.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { buyNotifier } from '../../../src/dialects/adcp/webhooks/buy-notification.ts';
import { createReporting } from '../../../src/reporting/reporting.ts';
import type { Reporting } from '../../../src/reporting/reporting.ts';
import { withReportsTouched } from '../../../src/reporting/reports-touched.ts';
import { buySchedules } from '../../../src/reporting/schedule.ts';
import type { BuySchedule } from '../../../src/reporting/schedule.ts';
import type { Catalog } from '../../../src/sales/catalog.ts';
import type { BuyParts } from '../../../src/sales/media-buy/buy-part.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { transitionBuy } from '../../../src/sales/media-buy/transitions.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import type { Delivery } from '../../../src/webhooks/delivery/delivery.ts';
import type { ReportingWebhook } from '../../../src/webhooks/registration/reporting-webhook.ts';
import { sealedFor } from '../../../src/webhooks/registration/webhook-target.ts';
import { createAccountWebhooks } from '../../../src/webhooks/subscription/subscriptions.ts';
import type { AccountWebhooks } from '../../../src/webhooks/subscription/subscriptions.ts';
import { createWebhooks } from '../../../src/webhooks/webhooks.ts';
import type { Webhooks } from '../../../src/webhooks/webhooks.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { TestClock } from '../../directory/support/installation.ts';
import { spoilRow } from '../../support/spoil-row.ts';
import type { AnySpec } from '../../support/spoil-row.ts';
import { demoCatalog } from '../../sales/support/demo-catalog.ts';
import { sampleCreative } from '../../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, taskId } from '../../support/ids.ts';
import { NAMES, SECRET } from '../../webhooks/support/open-sender.ts';
import { registration } from '../../webhooks/support/registrations.ts';

export const WINDOW_MS = 60_000;
export const HOOK = 'http://127.0.0.1:9/reports';
export const ORGANIZATION = 'org_1';

/** What one worker process works with; it shares nothing with another but the store, Redis and the clock. */
export interface Worker {
  store: Store;
  sales: Sales;
  webhooks: Webhooks;
  reporting: Reporting;
  accountWebhooks: AccountWebhooks;
  /** Does everything that is due. */
  work(): Promise<void>;
}

export interface OpenReporting extends Worker {
  clock: TestClock;
  catalog: Catalog;
  schedules: BuyParts<BuySchedule>;
  /** Makes a stored row unreadable; see {@link spoilRow}. */
  spoil(spec: AnySpec, key: string, field: string): Promise<() => Promise<void>>;
  /** Another process; its store may be one that fails. */
  worker(wrap?: (store: Store) => Store): Promise<Worker>;
  /** A buy that runs for days from the next midnight on, known to the ad server. */
  book(changes?: Partial<MediaBuy> & { days?: number }): Promise<MediaBuy>;
  report(buy: MediaBuy, asked?: Partial<ReportingWebhook> & { context?: unknown; revision?: number }): Promise<void>;
  /** Lets so much time pass in steps, each worker doing what is due at each. */
  pass(ms: number, options?: { stepMs?: number; workers?: readonly Worker[] }): Promise<void>;
  /** Changes the buy as a task does, and has its flight looked at. */
  change(media_buy_id: string, edit: (buy: MediaBuy) => MediaBuy): Promise<MediaBuy>;
  cancel(media_buy_id: string): Promise<MediaBuy>;
  /** Everything sent about a buy, in the order it was made. */
  sent(media_buy_id: string): Promise<Sent[]>;
  close(): Promise<void>;
}

/** A delivery and what it says. */
export interface Sent {
  row: Delivery;
  body: Record<string, unknown>;
  result: ReportResult;
}

export interface ReportResult {
  notification_type: string;
  sequence_number: number;
  next_expected_at?: string;
  reporting_period: { start: string; end: string };
  currency: string;
  media_buy_deliveries: {
    media_buy_id: string;
    status: string;
    totals: Record<string, number>;
    by_package: (Record<string, number> & { package_id: string })[];
  }[];
}

/** The real reporting over the real sales and webhooks, on a clock that moves when told; it is a midnight of UTC. */
export async function openReporting(kind: Store['kind'] = 'sqlite'): Promise<OpenReporting> {
  const place = await installation([], kind);
  const { clock } = place;
  clock.advance(DAY_MS - (clock.now() % DAY_MS));
  const catalog = await demoCatalog();
  const queues = createQueues({
    connection: process.env['REDIS_TEST_URL'] ?? '',
    prefix: `t-${randomUUID()}`,
    logger: silent,
  });

  async function worker(wrap = (store: Store) => store): Promise<Worker> {
    const store = wrap(await place.another());
    const deps = { store, clock, log: silent };
    const schedules = buySchedules(deps);
    const sales = composeSales({
      ...deps,
      catalog,
      simSpeed: 1,
      onFlightProgress: (buy) => withReportsTouched(buy, toTimestamp(clock.now())),
    });
    const webhooks = createWebhooks({
      ...{ ...deps, queues, ids: place.ids, names: NAMES, sealer: sealer(SECRET) },
      outbound: { send: () => Promise.reject(new Error('nothing is sent here')) },
      identity: { publicBaseUrl: 'https://seller.example', name: 'Seller' },
      ...{ allowLoopback: true, allowLegacyBearer: false },
    });
    const reporting = createReporting({
      ...{ ...sales, ...deps, schedules, webhooks, ids: place.ids, impairmentWindowMs: WINDOW_MS },
      inDialect: buyNotifier(sales),
    });
    const accountWebhooks = createAccountWebhooks({
      ...{ ...sales, ...deps, webhooks, ids: place.ids, sealer: sealer(SECRET) },
    });
    await store.prepare();
    return {
      ...{ store, sales, webhooks, reporting, accountWebhooks },
      async work() {
        await sales.flights.processDue();
        await reporting.processDue();
      },
    };
  }

  const first = await worker();
  const { sales, reporting } = first;
  await sales.creatives.insert(sampleCreative());
  const deliveries = first.store.collection(Deliveries);
  const change: OpenReporting['change'] = async (media_buy_id, edit) => {
    await sales.mediaBuys.update(media_buy_id, edit);
    await sales.flights.process(mediaBuyId(media_buy_id));
    return present(sales.mediaBuys, media_buy_id);
  };
  return {
    ...first,
    clock,
    catalog,
    schedules: buySchedules({ store: first.store, clock }),
    spoil: (spec, key, field) => spoilRow(() => place.another([]), spec, key, field),
    worker,
    async book({ days = 4, ...changes } = {}) {
      const now = toTimestamp(clock.now());
      const media_buy_id = changes.media_buy_id ?? mediaBuyId('mb_1');
      const sample = sampleMediaBuy();
      const buy: MediaBuy = {
        ...sample,
        ...{ media_buy_id, buyer_ref: media_buy_id, task_id: taskId(`task_of_${media_buy_id}`) },
        packages: sample.packages.map((line) => ({ ...line, creative_ids: ['c1'] })),
        ...{ pending_reason: 'start_time' as const, created_at: now, updated_at: now },
        start_time: toTimestamp(clock.now() + DAY_MS),
        end_time: toTimestamp(clock.now() + (1 + days) * DAY_MS),
        ...changes,
      };
      await sales.mediaBuys.insert(buy);
      await sales.flights.open(buy);
      return buy;
    },
    async report(buy, { context, revision = 1, ...asked } = {}) {
      const config = { url: HOOK, reporting_frequency: 'daily' as const, ...asked };
      const reporting_webhook = reporting.buyWebhooks.seal(config, 'reporting_webhook');
      await reporting.buyWebhooks.set(buy, revision, { reporting_webhook, context });
    },
    async pass(ms, { stepMs = 3_600_000, workers = [first] } = {}) {
      const untilMs = clock.now() + ms;
      while (clock.now() < untilMs) {
        clock.advance(Math.min(stepMs, untilMs - clock.now()));
        await Promise.all(workers.map((one) => one.work()));
      }
    },
    change,
    cancel: (media_buy_id) =>
      change(media_buy_id, (buy) => {
        return transitionBuy(buy, 'canceled', { at: toTimestamp(clock.now()), action: 'canceled', actor: 'buyer' });
      }),
    async sent(media_buy_id) {
      const { rows } = await deliveries.find({
        where: { organization_id: ORGANIZATION, subject_id: media_buy_id },
        limit: 1000,
      });
      return rows
        .map((row) => {
          const text = row.is_body_sealed ? sealer(SECRET).open(row.body, sealedFor(row.url)) : row.body;
          const body = JSON.parse(text) as Record<string, unknown>;
          return { row, body, result: body['result'] as ReportResult };
        })
        .sort((a, b) => a.row.created_at.localeCompare(b.row.created_at) || a.row.sequence - b.row.sequence);
    },
    async close() {
      await queues.close();
      await place.close();
    },
  };
}

/** A webhook of the buy for impairments. */
export function pushTo(url = 'http://127.0.0.1:9/push') {
  return registration(url, { operation_id: 'op-buy' });
}

async function present(mediaBuys: Collection<MediaBuy>, media_buy_id: string): Promise<MediaBuy> {
  const buy = await mediaBuys.get(media_buy_id);
  if (buy === undefined) throw new Error(`${media_buy_id} is gone`);
  return buy;
}
