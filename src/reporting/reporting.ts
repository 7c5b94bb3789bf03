import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import { eachAtOnce } from '../platform/each-at-once.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { BuyWebhooks } from '../tasks/buy-webhooks.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { blankSchedule, withWebhooks } from './channels.ts';
import type { ReportingDependencies } from './dependencies.ts';
import { untoldImpairments } from './impairment-notification.ts';
import { processBuy } from './process-buy.ts';
import { silence } from './next-impairments.ts';
import { firstRest, MAX_REST_MS } from './next-report.ts';
import type { BuySchedule } from './schedule.ts';

/** Buys looked at in one go, and how many of them at once. */
const BATCH = 200;
const AT_ONCE = 8;

export interface ReportingOptions extends Omit<ReportingDependencies, 'webhooks'> {
  webhooks: Pick<Webhooks, 'enqueue' | 'activity' | 'sealBuyChannel'>;
}

/** What sellers tell buyers of their media buys without being asked: delivery reports and impairments. */
export interface Reporting {
  buyWebhooks: BuyWebhooks;
  /** Enqueues everything that is due. Safe to run in several processes at once. Answers how many buys it looked at. */
  processDue(): Promise<number>;
}

export function createReporting(given: ReportingOptions): Reporting {
  const deps: ReportingDependencies = given;
  const { schedules, clock, flightClock, log } = deps;

  return {
    buyWebhooks: {
      seal: (config, field) => given.webhooks.sealBuyChannel(config, field),
      async set(buy, revision, asked) {
        // What came with the buy was set when the buy was made, however late this is done.
        const flightMs = revision === 1 ? fromTimestamp(buy.created_at) : flightClock.now(buy);
        const setting = { revision, asked, nowMs: clock.now(), flightMs };
        for (;;) {
          const outcome = await schedules.update(buy.media_buy_id, (row) => withWebhooks(row, setting));
          if (outcome !== undefined) return;
          const set = withWebhooks(blankSchedule(buy), setting);
          if (set === undefined || (await schedules.insert(firstRest(set, buy, deps))).inserted) return;
        }
      },
    },
    async processDue() {
      const ids = await dueBuys(deps);
      await eachAtOnce(ids, AT_ONCE, async ([media_buy_id, isDue]) => {
        await processDueBuy(deps, media_buy_id, isDue).catch((error: unknown) => {
          log.warn({ err: error, media_buy_id }, 'notifications of a media buy could not be enqueued; trying again');
        });
      });
      return ids.size;
    },
  };
}

type IsDue = (row: BuySchedule) => boolean;

/** The buys whose time has come, and those with impairments that are to be told. */
async function dueBuys({ schedules, impairments, clock, impairmentWindowMs }: ReportingDependencies) {
  const nowMs = clock.now();
  const now = toTimestamp(nowMs);
  // Nobody rests for so long: a row due later was written before the clock was set back.
  const never = toTimestamp(nowMs + 2 * MAX_REST_MS);
  const isDue: IsDue = ({ due_at }) => due_at !== null && (due_at <= now || due_at > never);
  const sort = { field: 'due_at', direction: 'asc' } as const;
  const [due, stuck, ...untold] = await Promise.all([
    schedules.find({ where: { due_at: { gt: '', lte: now } }, sort, limit: BATCH }),
    schedules.find({ where: { due_at: { gt: never } }, sort, limit: BATCH }),
    ...[
      { untold_since: { gt: '', lte: toTimestamp(nowMs - impairmentWindowMs) } },
      { untold_since: { gt: now } },
      { untold_since: { gt: '' }, latency_class: 'latency_sensitive' as const },
    ].map((where) => impairments.find({ where, limit: BATCH })),
  ]);
  return new Map<MediaBuyId, IsDue>([
    ...[...due.rows, ...stuck.rows].map(({ media_buy_id }) => [media_buy_id, isDue] as const),
    ...untold.flatMap(({ rows }) => rows.map(({ media_buy_id }) => [media_buy_id, () => true] as const)),
  ]);
}

async function processDueBuy(deps: ReportingDependencies, media_buy_id: MediaBuyId, isDue: IsDue): Promise<void> {
  if ((await deps.schedules.get(media_buy_id)) !== undefined) {
    await processBuy(deps, media_buy_id, isDue);
    return;
  }
  // Nobody has ever asked to hear of this buy.
  await silence(deps, await untoldImpairments(deps.impairments, media_buy_id));
}
