import { z } from 'zod';
import { formatMoney, MAX_MINOR } from '../../../platform/money.ts';
import { spentByBuys } from '../../../sales/delivery/spent-by-buys.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { MediaBuyStatus } from '../../../sales/media-buy/media-buy.ts';
import { isBooked } from '../../../sales/turnover/day-amounts.ts';
import { operation } from '../operation.ts';
import { BuyerParams, knownBuyer } from './operations.ts';

/** What is more is not counted: whoever decides needs no more, and a look must not cost more the more there is. */
export const MOST_BUYS_COUNTED = 1_000;

/** Money is summed of so many media buys, the newest. */
const MOST_SUMMED = 50;

/** What a buyer has bought so far, for whoever is to decide about more. */
export const BuyerStandingView = z.object({
  organization_id: z.string(),
  /** Since when there is such an organization. */
  created_at: z.string(),
  suspended_at: z.string().nullable(),
  /** When its first media buy was asked for; null: never. */
  buys_since: z.string().nullable(),
  /** How many there are of each status, where there is any; 1,000 stands for so many or more. */
  media_buys: z.array(z.object({ status: MediaBuyStatus, count: z.int().min(1).max(MOST_BUYS_COUNTED) })),
  /** Money is that of its newest media buys, so many of them. */
  summed_buys: z.int(),
  /** Whether these are all that it has. */
  is_all_summed: z.boolean(),
  /**
   * By currency, amounts in decimals of it: what is booked, which is neither waiting for approval nor rejected nor canceled; and what was
   * spent, whatever became of the media buy.
   */
  money: z.array(z.object({ currency: z.string(), booked: z.number(), spent: z.number() })),
});
export type BuyerStandingView = z.infer<typeof BuyerStandingView>;

/** A number of reads by index that does not grow with what there is. */
export const showBuyerStanding = operation({
  method: 'get',
  path: '/buyers/:organization_id/standing',
  summary: 'Show how a buyer stands: its media buys by state, what it has booked and spent, and since when.',
  role: 'viewer',
  params: BuyerParams,
  answer: BuyerStandingView,
  async handle({ params: { organization_id } }, { store, sales: { mediaBuys, facts, flightClock } }) {
    const ofTheirs = (direction: 'asc' | 'desc', limit: number) =>
      mediaBuys.find({ where: { organization_id }, sort: { field: 'created_at', direction }, limit });
    const [{ created_at, suspended_at = null }, first, newest, ...counts] = await Promise.all([
      knownBuyer(store, organization_id),
      ofTheirs('asc', 1),
      ofTheirs('desc', MOST_SUMMED),
      ...MediaBuyStatus.options.map((status) =>
        mediaBuys.count({ organization_id, status }, { most: MOST_BUYS_COUNTED }),
      ),
    ]);
    const spent = await spentByBuys(facts, newest.rows, (buy) => flightClock.now(buy));
    return {
      ...{ organization_id, created_at, suspended_at, buys_since: first.rows[0]?.created_at ?? null },
      media_buys: MediaBuyStatus.options.flatMap((status, i) => {
        const count = counts[i] ?? 0;
        return count === 0 ? [] : [{ status, count }];
      }),
      ...{ summed_buys: newest.rows.length, is_all_summed: newest.cursor === undefined },
      money: moneyOf(newest.rows, spent),
    };
  },
});

function moneyOf(buys: readonly MediaBuy[], spentBy: ReadonlyMap<string, number>): BuyerStandingView['money'] {
  const sums = new Map<string, { booked: number; spent: number }>();
  for (const buy of buys) {
    const { booked, spent } = sums.get(buy.currency) ?? { booked: 0, spent: 0 };
    sums.set(buy.currency, {
      booked: Math.min(MAX_MINOR, booked + (isBooked(buy) ? buy.total_budget_minor : 0)),
      spent: Math.min(MAX_MINOR, spent + (spentBy.get(buy.media_buy_id) ?? 0)),
    });
  }
  return [...sums].map(([currency, { booked, spent }]) => ({
    ...{ currency, booked: formatMoney(booked, currency), spent: formatMoney(spent, currency) },
  }));
}
