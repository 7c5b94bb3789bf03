import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import { eachAtOnce } from '../platform/each-at-once.ts';
import { UnreadableRowError } from '../platform/store/collection-rows.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { AskedBuyWebhooks, BuyWebhooks } from '../tasks/buy-webhooks.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { blankSchedule, withWebhooks } from './channels.ts';
import type { Setting } from './channels.ts';
import type { ReportingDependencies } from './dependencies.ts';
import { untoldImpairments } from './impairment-notification.ts';
import { processBuy } from './process-buy.ts';
import { silence } from './next-impairments.ts';
import { firstRest, MAX_REST_MS } from './next-report.ts';
import { REPORTING_IN_BUY } from './schedule.ts';
import type { BuySchedule } from './schedule.ts';

/** Of a buy as it is made. */
const FIRST_REVISION = 1;
/** Buys looked at in one go, and how many of them at once. */
const BATCH = 200;
const AT_ONCE = 8;

export interface ReportingOptions extends Omit<ReportingDependencies, 'webhooks' | 'inDialect'> {
  webhooks: Pick<Webhooks, 'enqueue' | 'activity' | 'sealBuyChannel'>;
  /** Default: all are told in our own words. */
  inDialect?: ReportingDependencies['inDialect'];
}

/** What sellers tell buyers of their media buys without being asked: delivery reports and impairments. */
export interface Reporting {
  buyWebhooks: BuyWebhooks;
  /** Enqueues everything that is due. Safe to run in several processes at once. Answers how many buys it looked at. */
  processDue(): Promise<number>;
}

export function createReporting(given: ReportingOptions): Reporting {
  const deps: ReportingDependencies = { inDialect: (notification) => Promise.resolve(notification), ...given };
  const { schedules, clock, flightClock, log } = deps;

  function settingOf(buy: MediaBuy, revision: number, asked: AskedBuyWebhooks): Setting {
    // What came with the buy hears of the whole flight, however late the buy is made or this is done.
    const flightMs = revision === FIRST_REVISION ? begun(buy) : flightClock.now(buy);
    return { revision, asked, nowMs: clock.now(), flightMs };
  }

  function firstSchedule(buy: MediaBuy, setting: Setting): BuySchedule | undefined {
    const set = withWebhooks(blankSchedule(buy), setting);
    return set && firstRest(set, buy, deps);
  }

  return {
    buyWebhooks: {
      seal: (config, field) => given.webhooks.sealBuyChannel(config, field),
      begin: (buy, asked) => {
        const first = firstSchedule(buy, settingOf(buy, FIRST_REVISION, asked));
        return first === undefined ? buy : REPORTING_IN_BUY.write(buy, first);
      },
      async set(buy, revision, asked) {
        const setting = settingOf(buy, revision, asked);
        for (;;) {
          const outcome = await schedules.update(buy.media_buy_id, (row) => withWebhooks(row, setting));
          if (outcome !== undefined) return;
          const first = firstSchedule(buy, setting);
          if (first === undefined || (await schedules.insert(first))) return;
          if ((await deps.mediaBuys.get(buy.media_buy_id)) === undefined)
            throw new Error(`media buy ${buy.media_buy_id} is gone`);
        }
      },
    },
    async processDue() {
      const ids = await dueBuys(deps);
      await eachAtOnce(ids, AT_ONCE, async ([media_buy_id, isDue]) => {
        await processDueBuy(deps, media_buy_id, isDue).catch(async (error: unknown) => {
          log.warn({ err: error, media_buy_id }, 'notifications of a media buy could not be enqueued; trying again');
          // Where the buy itself cannot be read, it is on the list of such rows, and the next buy is not to wait for it.
          if (error instanceof UnreadableRowError) await putOff(deps, media_buy_id).catch(() => undefined);
        });
      });
      return ids.size;
    },
  };
}

/** How soon webhooks that cannot be read are tried again: it takes a newer release or a person. */
const UNREADABLE_AGAIN_MS = 10 * 60_000;

async function putOff({ mediaBuys, clock }: ReportingDependencies, media_buy_id: MediaBuyId): Promise<void> {
  const reporting_due_at = toTimestamp(clock.now() + UNREADABLE_AGAIN_MS);
  await mediaBuys.update(media_buy_id, (buy) => (buy.reporting_due_at ? { ...buy, reporting_due_at } : undefined));
}

/** Where the flight stood when it was asked for: one that begins at once does so before its row is made. */
function begun({ created_at, start_time }: MediaBuy): number {
  return Math.min(fromTimestamp(created_at), fromTimestamp(start_time));
}

type IsDue = (row: BuySchedule) => boolean;

/** The buys whose time has come, and those with impairments that are to be told. */
async function dueBuys({ schedules, impairments, clock, impairmentWindowMs }: ReportingDependencies) {
  const nowMs = clock.now();
  const now = toTimestamp(nowMs);
  // Nobody rests for so long: a row due later was written before the clock was set back.
  const never = toTimestamp(nowMs + 2 * MAX_REST_MS);
  const isDue: IsDue = ({ due_at }) => due_at !== null && (due_at <= now || due_at > never);
  const [due, stuck, ...untold] = await Promise.all([
    schedules.due({ gt: '', lte: now }, BATCH),
    schedules.due({ gt: never }, BATCH),
    ...[
      { untold_since: { gt: '', lte: toTimestamp(nowMs - impairmentWindowMs) } },
      { untold_since: { gt: now } },
      { untold_since: { gt: '' }, latency_class: 'latency_sensitive' as const },
    ].map((where) => impairments.find({ where, limit: BATCH })),
  ]);
  return new Map<MediaBuyId, IsDue>([
    ...[...due, ...stuck].map(({ media_buy_id }) => [media_buy_id, isDue] as const),
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
