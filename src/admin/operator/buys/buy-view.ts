import { z } from 'zod';
import { organizations } from '../../../directory/organization/organization.ts';
import { toTimestamp } from '../../../platform/clock.ts';
import { formatMoney } from '../../../platform/money.ts';
import type { Store } from '../../../platform/store/collection.ts';
import { recordedUpTo } from '../../../sales/flight/recorded-up-to.ts';
import { HealthView } from '../../../sales/impairment/impairment-view.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { isOnHold, SellerHold } from '../../../sales/media-buy/seller-hold.ts';
import { saidOfBuy, SaidOfBuy, SaidOfPackage } from '../../../sales/media-buy/said-of-buy.ts';
import { MediaBuyView } from '../../../sales/media-buy/media-buy-view.ts';
import { MeasurementTerms } from '../../../sales/product/measurement-terms.ts';
import { GetMediaBuysResponse } from '../../../tasks/get-media-buys/schema.ts';

/** Whose something is; without a name where the organization is gone. */
export const Whose = z.object({ organization_id: z.string(), organization_name: z.string().optional() });
export type Whose = z.infer<typeof Whose>;

/** A media buy in a list of an operator's. Amounts are decimals of its `currency`. */
export const BuyRowView = z.object({
  ...MediaBuyView.pick({
    media_buy_id: true,
    buyer_ref: true,
    status: true,
    pending_reason: true,
    currency: true,
    total_budget: true,
    start_time: true,
    end_time: true,
    created_at: true,
    updated_at: true,
  }).shape,
  ...Whose.shape,
  account_id: z.string().optional(),
  /** Of the buyer's purchase order; absent where it named none. */
  po_number: z.string().optional(),
  packages: z.int(),
  /** Who of the seller holds it back, since when and why. */
  on_hold: SellerHold.pick({ reason: true, by: true, at: true }).optional(),
  /** It is paused, and its buyer has had it resumed while it waits: it runs by itself once nothing is left to wait for. */
  resumes: z.literal(true).optional(),
  /** Something of it is still to be told to the ad server. */
  waits_for_ad_server: z.boolean(),
});
export type BuyRowView = z.infer<typeof BuyRowView>;

const FlightStands = z.object({
  flight_at: z.string().describe('Where its flight stands: the clock, or the simulated one'),
  recorded_until: z.string().describe('What was delivered before it is known; hours are recorded once they are over'),
});

/** The same where many are listed, with how each does. */
export const ListedBuyView = BuyRowView.extend({
  health: HealthView.shape.health,
  /** What was delivered by now, as it is billed. */
  spent: z.number(),
  ...FlightStands.shape,
});
export type ListedBuyView = z.infer<typeof ListedBuyView>;

/** What a package has delivered. `spend` is a decimal of the buy's currency. */
const DeliveredView = z.object({
  package_id: z.string(),
  impressions: z.int(),
  clicks: z.int(),
  spend: z.number(),
});

/** A media buy with all that a buyer sees of it, whose it is, and what it has delivered. */
export const BuyInFullView = z.object({
  ...GetMediaBuysResponse.shape.media_buys.element.omit({ webhook_activity: true }).shape,
  ...Whose.shape,
  account_id: z.string().optional(),
  on_hold: BuyRowView.shape.on_hold,
  resumes: BuyRowView.shape.resumes,
  waits_for_ad_server: z.boolean(),
  /** The terms of measurement that were agreed with packages; absent where none asked for any. */
  agreed_terms: z.array(z.object({ package_id: z.string(), measurement_terms: MeasurementTerms })).optional(),
  /** What the buyer said of it in the public protocol that has no effect; absent where it said nothing. */
  said: SaidOfBuy.optional(),
  /** The same of its packages. */
  said_of_packages: z.array(z.object({ package_id: z.string(), ...SaidOfPackage.shape })).optional(),
  /** The task that made it. */
  task_id: z.string(),
  ...FlightStands.shape,
  /** By package; what has delivered nothing is left out. */
  delivered: z.array(DeliveredView),
  /** The same by day of UTC, oldest first, the last 92 that have any; `spent_so_far` with all days before. */
  days: z.array(z.object({ day: z.string(), impressions: z.int(), spend: z.number(), spent_so_far: z.number() })),
});
export type BuyInFullView = z.infer<typeof BuyInFullView>;

/** The names of organizations that are there, read at once. */
export async function namesOf(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await store.collection(organizations).getMany([...new Set(ids)], { skipUnreadable: true });
  return new Map(rows.map(({ organization_id, name }) => [organization_id, name]));
}

/** Pure. */
export function whose(organization_id: string, names: ReadonlyMap<string, string>): Whose {
  const organization_name = names.get(organization_id);
  return { organization_id, ...(organization_name !== undefined && { organization_name }) };
}

/** Pure. */
export function toBuyRowView(buy: MediaBuy, names: ReadonlyMap<string, string>): BuyRowView {
  const { media_buy_id, buyer_ref, status, pending_reason, currency, start_time, end_time } = buy;
  const { created_at, updated_at } = buy;
  const { po_number } = saidOfBuy(buy);
  return {
    ...{ media_buy_id, buyer_ref, status, currency, start_time, end_time, created_at, updated_at },
    ...(pending_reason !== null && { pending_reason }),
    total_budget: formatMoney(buy.total_budget_minor, currency),
    ...whose(buy.organization_id, names),
    ...besides(buy),
    ...(po_number !== undefined && { po_number }),
    packages: buy.packages.length,
  };
}

/** How far its flight and what is known of it have come. Pure. */
export function flightStands(buy: MediaBuy, flightMs: number): z.infer<typeof FlightStands> {
  return { flight_at: toTimestamp(flightMs), recorded_until: toTimestamp(recordedUpTo(buy, flightMs)) };
}

/** What only an operator is told of a buy. Pure. */
export function besides(buy: MediaBuy): Pick<BuyRowView, 'account_id' | 'on_hold' | 'resumes' | 'waits_for_ad_server'> {
  const { account_id, order_urgency, on_hold, resumes } = buy;
  return {
    ...(account_id !== undefined && { account_id }),
    ...(on_hold && isOnHold(buy) && { on_hold: { reason: on_hold.reason, by: on_hold.by, at: on_hold.at } }),
    ...(resumes !== undefined && { resumes }),
    waits_for_ad_server: order_urgency !== null && order_urgency !== undefined,
  };
}
