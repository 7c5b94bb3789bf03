import { z } from 'zod';
import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { GetMediaBuysResponse } from '../../../tasks/get-media-buys/schema.ts';
import type { AggregatedTotals, DeliveryRow } from '../../../tasks/get-media-buy-delivery/schema.ts';
import { accountIdFor } from '../accounts.ts';
import { EnvelopeFields } from '../envelope.ts';
import { PublicStatus } from '../get-media-buys/translator.ts';
import { creativeStates, buyStatusOf } from '../media-buys/buy-facts.ts';
import { packagePrice } from '../media-buys/package-price.ts';
import { AccountRef } from '../refs.ts';
import { translator } from '../translator.ts';
import type { Translating, Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'send a day as YYYY-MM-DD');

const AdcpDeliveryRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef.optional(),
  media_buy_ids: z.array(z.string().max(255)).min(1).max(100).optional(),
  status_filter: z.union([PublicStatus, z.array(PublicStatus).min(1).max(20)]).optional(),
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
    async in(request, context) {
      const { account, start_date, end_date, time_granularity: granularity, include_window_breakdown } = request;
      if (start_date !== undefined && end_date !== undefined && start_date >= end_date) {
        throw invalidRequest('end_date', 'must be after start_date: its day is not told of any more');
      }
      const account_id = account && (await accountIdFor(sources, context.caller, account));
      const ids = await idsAsked(sources, request, account_id, context);
      const range = {
        ...(start_date !== undefined && { start: start_date }),
        ...(end_date !== undefined && { end: end_date }),
      };
      const extra = {
        ...range,
        ...(include_window_breakdown === true && { has_windows: true }),
        ...(granularity !== undefined && { granularity }),
      };
      const named = account_id !== undefined && { account_id };
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
  { mediaBuys }: TranslatorSources,
  { media_buy_ids, status_filter = 'active' }: AdcpDeliveryRequest,
  account_id: string | undefined,
  { ask }: Translating,
): Promise<string[]> {
  const named = media_buy_ids ?? (await idsStanding([status_filter].flat(), ask));
  const rows = await mediaBuys.getMany(named);
  const others = new Set(
    rows
      .filter((buy) => account_id !== undefined && (buy.account_id ?? account_id) !== account_id)
      .map((buy) => buy.media_buy_id as string),
  );
  if (media_buy_ids === undefined) {
    const own = named.filter((id) => !others.has(id));
    return ofOneCurrency(own, rows);
  }
  const foreign = media_buy_ids.findIndex((id) => others.has(id));
  if (foreign !== -1) {
    const field = `media_buy_ids[${foreign}]`;
    throw new AppError('MEDIA_BUY_NOT_FOUND', `${field}: no media buy of this account has this id`, { field });
  }
  if (new Set(rows.map(({ currency }) => currency)).size > 1) {
    throw invalidRequest(
      'media_buy_ids',
      'these are in several currencies, and one answer has one; ask for those of each',
    );
  }
  return media_buy_ids;
}

/** Nobody named them: of several currencies, those of the first are told. */
function ofOneCurrency(ids: readonly string[], rows: readonly MediaBuy[]): string[] {
  const currencies = new Map(rows.map((buy) => [buy.media_buy_id as string, buy.currency]));
  const first = currencies.get(ids[0] ?? '');
  return ids.filter((id) => currencies.get(id) === first);
}

async function idsStanding(statuses: readonly string[], ask: Translating['ask']): Promise<string[]> {
  const ours = statuses.map((status) => (status.startsWith('pending_') ? 'pending' : status));
  const result = await ask('get_media_buys', { status: [...new Set(ours)], limit: 100 });
  return (result as unknown as GetMediaBuysResponse).media_buys.map(({ media_buy_id }) => media_buy_id);
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
