import { instantsOfDays } from '../../platform/hours.ts';
import { MAX_MINOR } from '../../platform/money.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { allPages } from '../../platform/store/all-rows.ts';
import type { DeliveryDay } from '../delivery/delivery-facts.ts';
import { measuresIn } from '../delivery/measure.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { TurnoverDay, TurnoverKind } from './turnover-day.ts';

/** What days are summed from. */
export interface TurnoverSources {
  mediaBuys: Collection<MediaBuy>;
  days: Collection<DeliveryDay>;
}

type Amounts = TurnoverDay['amounts'];

/** The sums of a day, by currency: rows that cannot be read are in none. */
export const AMOUNTS_OF = {
  booked: async ({ mediaBuys }, day) => {
    const amounts: Amounts = {};
    for await (const buys of allPages(mediaBuys, {
      where: { created_at: instantsOfDays({ since: day, until: day }) },
    })) {
      for (const buy of buys) if (isBooked(buy)) add(amounts, buy.currency, buy.total_budget_minor);
    }
    return amounts;
  },
  delivered: async ({ mediaBuys, days }, day) => {
    const amounts: Amounts = {};
    // Newest first: a row that changes meanwhile moves behind us, so that none is met twice; one that is missed is newer than what is noted.
    for await (const rows of allPages(days, { where: { day }, sort: { field: 'changed_at', direction: 'desc' } })) {
      const currencies = await mediaBuys.getField(
        rows.map(({ media_buy_id }) => media_buy_id),
        'currency',
      );
      for (const { media_buy_id, hours } of rows) {
        const currency = currencies.get(media_buy_id);
        if (currency !== undefined) add(amounts, currency, spentIn(hours));
      }
    }
    return amounts;
  },
} as const satisfies Record<TurnoverKind, (sources: TurnoverSources, day: string) => Promise<Amounts>>;

/** Sold, and not taken back: neither waiting for the seller's approval nor rejected nor canceled. Pure. */
export function isBooked({ status, pending_reason }: MediaBuy): boolean {
  return pending_reason !== 'approval' && status !== 'rejected' && status !== 'canceled';
}

function spentIn(hours: DeliveryDay['hours']): number {
  return Object.values(hours).reduce(
    (sum, slots) => measuresIn(slots).reduce((all, { spend_minor }) => all + spend_minor, sum),
    0,
  );
}

/** Neither is above the bound, so that their sum is exact. */
function add(amounts: Amounts, currency: string, minor: number): void {
  amounts[currency] = Math.min(MAX_MINOR, (amounts[currency] ?? 0) + Math.min(MAX_MINOR, minor));
}
