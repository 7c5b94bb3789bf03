import { z } from 'zod';
import type { Caller } from '../../../directory/caller.ts';
import { invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { AggregatedTotals, DeliveryRow } from '../../../tasks/get-media-buy-delivery/schema.ts';
import { EnvelopeFields } from '../envelope.ts';
import { amongThem, BuysAsked, refuseOtherAccounts, standingBuys, wantedBuys } from '../media-buys/buys-asked.ts';
import type { BuysWanted } from '../media-buys/buys-asked.ts';
import { creativeStates, buyStatusOf } from '../media-buys/buy-facts.ts';
import { packagePrice } from '../media-buys/package-price.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';

const Day = z.iso.date('send a day that there is, as YYYY-MM-DD');

const AdcpDeliveryRequest = z.looseObject({
  ...EnvelopeFields.shape,
  ...BuysAsked.shape,
  start_date: Day.optional(),
  end_date: Day.optional(),
  time_granularity: z.string().max(64).optional(),
  include_package_daily_breakdown: z.boolean().optional(),
  include_window_breakdown: z.boolean().optional(),
});
type AdcpDeliveryRequest = z.infer<typeof AdcpDeliveryRequest>;

/** Tells what media buys have delivered. */
export function adcpGetMediaBuyDelivery(sources: TranslatorSources): Translator {
  return translator<AdcpDeliveryRequest>({
    skill: 'get_media_buy_delivery',
    task: 'get_media_buy_delivery',
    title: 'Get media buy delivery',
    description: 'Tells what your media buys have delivered and spent, in whole and by package.',
    tags: ['media-buy', 'reporting'],
    mutates: false,
    examples: [{ media_buy_ids: ['mb_1'], start_date: '2027-01-01', end_date: '2027-01-08' }],
    input: AdcpDeliveryRequest,
    async in(request, { caller }) {
      const { start_date, end_date, time_granularity: granularity, include_window_breakdown } = request;
      if (start_date !== undefined && end_date !== undefined && start_date >= end_date) {
        throw invalidRequest('end_date', 'must be after start_date: its day is not told of any more');
      }
      const wanted = await wantedBuys(sources, caller, request);
      const ids = await idsAsked(sources, caller, request, wanted);
      const range = {
        ...(start_date !== undefined && { start: start_date }),
        ...(end_date !== undefined && { end: end_date }),
      };
      const extra = {
        ...range,
        ...(include_window_breakdown === true && { has_windows: true }),
        ...(granularity !== undefined && { granularity }),
      };
      const named = wanted.account_id !== undefined && { account_id: wanted.account_id };
      if (ids.length === 0) {
        const input = { status: ['active'], limit: 1 };
        return { task: 'get_media_buys', input, ...named, extra: { ...extra, is_of_none: true } };
      }
      return {
        input: {
          media_buy_ids: ids,
          ...(granularity !== undefined && { granularity }),
          ...(Object.keys(range).length > 0 && { date_range: range }),
        },
        ...named,
        extra,
      };
    },
    async out(result, { extra, nowMs }) {
      const { start, end, has_windows = false, is_of_none = false } = extra as Asked;
      const { media_buy_deliveries: rows = [], aggregated_totals: totals } = is_of_none ? {} : (result as Told);
      const stored = new Map(
        (await sources.mediaBuys.getMany(rows.map(({ media_buy_id }) => media_buy_id))).map((buy) => [
          buy.media_buy_id,
          buy,
        ]),
      );
      const states = await creativeStates(sources, [...stored.values()]);
      const today = new Date(nowMs).toISOString();
      const all = rows.map(({ date_range }) => date_range);
      const period = {
        start: all.map((one) => one.start).sort()[0] ?? midnightOf(start ?? today.slice(0, 10)),
        end:
          all
            .map((one) => one.end)
            .sort()
            .at(-1) ?? (end === undefined ? today : midnightOf(end)),
      };
      const currency = totals?.currency ?? rows[0]?.currency ?? 'USD';
      return {
        ...{ reporting_period: period, currency },
        aggregated_totals: {
          ...{ impressions: totals?.impressions ?? 0, clicks: totals?.clicks ?? 0 },
          ...{ spend: totals?.spend ?? 0, media_buy_count: totals?.media_buy_count ?? 0 },
        },
        media_buy_deliveries: rows.map((row) => {
          const buy = stored.get(row.media_buy_id);
          const standing = buy === undefined ? row.status : buyStatusOf(buy, states);
          return {
            media_buy_id: row.media_buy_id,
            status: row.status === 'reporting_delayed' ? row.status : standing,
            totals: row.delivery,
            by_package: row.by_package.map((one) => packageRow(one, buy)),
            ...(row.granularity === 'daily' && { daily_breakdown: row.timeseries.map(dayOf) }),
            ...(has_windows && { windows: row.timeseries.map(windowOf) }),
            is_adjusted: row.corrections.length > 0,
          };
        }),
      };
    },
    fields: { granularity: 'time_granularity' },
  });
}

function midnightOf(day: string): string {
  return new Date(Date.parse(day)).toISOString();
}

interface Asked {
  start?: string;
  end?: string;
  has_windows?: boolean;
  is_of_none?: boolean;
}

interface Told {
  media_buy_deliveries?: DeliveryRow[];
  aggregated_totals?: AggregatedTotals;
}

/** The buys that are asked about: those named, or those of the account that stand so. @throws {AppError} see below. */
async function idsAsked(
  sources: TranslatorSources,
  caller: Caller,
  { media_buy_ids }: AdcpDeliveryRequest,
  wanted: BuysWanted,
): Promise<string[]> {
  if (media_buy_ids === undefined) {
    const standing = await standingBuys(sources, caller, wanted);
    assertOneCurrency(standing);
    return standing.map(({ media_buy_id }) => media_buy_id);
  }
  const rows = await sources.mediaBuys.getMany(media_buy_ids);
  const own = rows.filter(({ organization_id }) => organization_id === caller.organization_id);
  refuseOtherAccounts(media_buy_ids, own, wanted.account_id);
  const { statuses } = wanted;
  // What is none of the caller's is told by the task.
  const asked = new Set(own.map(({ media_buy_id }) => media_buy_id as string));
  const standing = await amongThem(sources, own, { ...(statuses && { statuses }) });
  assertOneCurrency(standing);
  const shown = new Set(standing.map(({ media_buy_id }) => media_buy_id as string));
  return media_buy_ids.filter((id) => shown.has(id) || !asked.has(id));
}

/** What is told of some would be taken for the whole. @throws {AppError} `INVALID_REQUEST` for buys of several currencies. */
function assertOneCurrency(buys: readonly MediaBuy[]): void {
  const currencies = [...new Set(buys.map(({ currency }) => currency))].sort();
  if (currencies.length <= 1) return;
  const several = `these media buys are in several currencies (${currencies.join(', ')}), and one answer has one`;
  throw invalidRequest('media_buy_ids', `${several}; name those of each`);
}

function packageRow(one: DeliveryRow['by_package'][number], buy: MediaBuy | undefined): JsonObject {
  const { package_id, impressions, spend, clicks } = one;
  return { package_id, impressions, spend, clicks, ...(buy && packagePrice(buy, package_id)) };
}

function dayOf({ start, impressions, spend }: DeliveryRow['timeseries'][number]): JsonObject {
  return { date: start.slice(0, 10), impressions, spend };
}

function windowOf({ start, end, ...totals }: DeliveryRow['timeseries'][number]): JsonObject {
  return { window_start: start, window_end: end, totals };
}
