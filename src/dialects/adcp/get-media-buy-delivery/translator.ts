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
import { isFrom } from '../release.ts';
import type { Release } from '../release.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { deliveredBy, measuring } from './delivered-by.ts';

const Day = z.iso.date('send a day that there is, as YYYY-MM-DD');

const AdcpDeliveryRequest = z.looseObject({
  ...EnvelopeFields.shape,
  ...BuysAsked.shape,
  start_date: Day.optional(),
  end_date: Day.optional(),
  time_granularity: z.string().max(64).optional(),
  include_package_daily_breakdown: z.boolean().optional(),
  include_window_breakdown: z.boolean().optional(),
  requested_metrics: z.array(z.string().max(64)).min(1).max(200).optional(),
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
    tellsSandbox: true,
    examples: [{ media_buy_ids: ['mb_1'], start_date: '2027-01-01', end_date: '2027-01-08' }],
    input: AdcpDeliveryRequest,
    async in(request, { caller, release }) {
      refuseUnsupported(request, { reporting_revision_id: 'reports are not kept in revisions here' });
      if (isFrom(release, '3.2') && request['pagination'] !== undefined) {
        throw invalidRequest('pagination', 'it goes with reporting_revision_id alone; name fewer media_buy_ids');
      }
      const { start_date, end_date, time_granularity: granularity, requested_metrics } = request;
      const has_windows = request.include_window_breakdown === true && granularity !== undefined;
      const has_package_days = request.include_package_daily_breakdown === true;
      if (start_date !== undefined && end_date !== undefined && start_date >= end_date) {
        throw invalidRequest('end_date', 'must be after start_date: its day is not told of any more');
      }
      const wanted = await wantedBuys(sources, caller, request);
      const { ids, isCut } = await buysMeant(sources, caller, request, { wanted, release });
      const range = {
        ...(start_date !== undefined && { start: start_date }),
        ...(end_date !== undefined && { end: end_date }),
      };
      const extra = {
        ...range,
        ...(isCut && { is_cut: true }),
        ...(has_windows && { has_windows }),
        ...(has_package_days && { has_package_days }),
        ...(isFrom(release, '3.2') && requested_metrics !== undefined && { metrics: requested_metrics }),
        ...(granularity !== undefined && { granularity }),
      };
      const series = [...(has_package_days ? ['daily'] : []), ...(has_windows ? [granularity] : [])];
      const named = wanted.account_id !== undefined && { account_id: wanted.account_id };
      if (ids.length === 0) {
        const input = { status: ['active'], limit: 1 };
        return { task: 'get_media_buys', input, ...named, extra: { ...extra, is_of_none: true } };
      }
      return {
        input: {
          media_buy_ids: ids,
          ...(granularity !== undefined && { granularity }),
          ...(series.length > 0 && { package_timeseries: [...new Set(series)] }),
          ...(Object.keys(range).length > 0 && { date_range: range }),
        },
        ...named,
        extra,
      };
    },
    async out(result, { extra, nowMs, release }) {
      const { start, end, metrics, is_of_none = false, is_cut = false, ...shown } = extra as Asked;
      const { media_buy_deliveries: rows = [], aggregated_totals: totals } = is_of_none ? {} : (result as Told);
      const only = measuring(metrics);
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
      const currencies = new Set(rows.map(({ currency }) => currency));
      // What is in several currencies does not add up; before 3.2 such requests are refused.
      const whole = currencies.size <= 1 && {
        currency: totals?.currency ?? rows[0]?.currency ?? 'USD',
        aggregated_totals: {
          ...only({ impressions: totals?.impressions ?? 0, spend: totals?.spend ?? 0, clicks: totals?.clicks ?? 0 }),
          media_buy_count: totals?.media_buy_count ?? 0,
        },
      };
      return {
        reporting_period: period,
        ...whole,
        media_buy_deliveries: rows.map((row) => {
          const buy = stored.get(row.media_buy_id);
          const standing = buy === undefined ? row.status : buyStatusOf(buy, states);
          return {
            media_buy_id: row.media_buy_id,
            ...(isFrom(release, '3.2') && { currency: row.currency }),
            status: row.status === 'reporting_delayed' ? row.status : standing,
            ...deliveredBy(row, buy, { ...shown, only }),
            is_adjusted: row.corrections.length > 0,
          };
        }),
        ...(is_cut && { errors: [cutShort(rows.length)] }),
      };
    },
    fields: { granularity: 'time_granularity', package_timeseries: 'start_date' },
  });
}

function midnightOf(day: string): string {
  return new Date(Date.parse(day)).toISOString();
}

interface Asked {
  start?: string;
  end?: string;
  has_windows?: boolean;
  has_package_days?: boolean;
  metrics?: string[];
  is_of_none?: boolean;
  is_cut?: boolean;
}

interface Told {
  media_buy_deliveries?: DeliveryRow[];
  aggregated_totals?: AggregatedTotals;
}

/** That others are not told of, which the protocol has no pages for: a warning beside what is told. */
function cutShort(told: number): JsonObject {
  return {
    code: 'RESULT_TRUNCATED',
    message: `media_buy_ids: these are the newest ${told} only; older media buys may stand so, too`,
    ...{ field: 'media_buy_ids', recovery: 'correctable', details: { returned: told } },
    suggestion: 'ask for the others by media_buy_ids, at most 100 at once; get_media_buys lists them page by page',
  };
}

/** The buys that are asked about: those named, or those of the account that stand so. @throws {AppError} see below. */
async function buysMeant(
  sources: TranslatorSources,
  caller: Caller,
  { media_buy_ids }: AdcpDeliveryRequest,
  { wanted, release }: { wanted: BuysWanted; release: Release },
): Promise<{ ids: string[]; isCut: boolean }> {
  const assertOneCurrency = isFrom(release, '3.2') ? () => undefined : refuseSeveralCurrencies;
  if (media_buy_ids === undefined) {
    const { buys, isCut } = await standingBuys(sources, caller, wanted);
    assertOneCurrency(buys);
    return { ids: buys.map(({ media_buy_id }) => media_buy_id), isCut };
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
  return { ids: media_buy_ids.filter((id) => shown.has(id) || !asked.has(id)), isCut: false };
}

/** What is told of some would be taken for the whole. @throws {AppError} `INVALID_REQUEST` for buys of several currencies. */
function refuseSeveralCurrencies(buys: readonly MediaBuy[]): void {
  const currencies = [...new Set(buys.map(({ currency }) => currency))].sort();
  if (currencies.length <= 1) return;
  const several = `these media buys are in several currencies (${currencies.join(', ')}), and one answer has one`;
  throw invalidRequest('media_buy_ids', `${several}; name those of each`);
}
