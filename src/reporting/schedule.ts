import { z } from 'zod';
import { OrganizationId } from '../platform/organization-id.ts';
import type { Clock } from '../platform/clock.ts';
import type { CollectionSpec, Store } from '../platform/store/collection.ts';
import { UnreadableRowError } from '../platform/store/collection-rows.ts';
import { tolerantSchema } from '../platform/store/tolerant-schema.ts';
import { Registration } from '../runtime/registration.ts';
import { createBuyParts } from '../sales/media-buy/buy-part.ts';
import type { BuyPartSpec, BuyParts } from '../sales/media-buy/buy-part.ts';
import { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { MediaBuys } from '../sales/media-buy/media-buys.ts';
import { ReportingWebhook } from '../webhooks/registration/reporting-webhook.ts';
import { Notification } from '../webhooks/delivery/notification.ts';
import { Stretch } from './periods.ts';

/** A webhook of a media buy. */
export const BuyChannel = z.strictObject({
  registration: Registration,
  /** What the request that set it carried. */
  context: z.unknown().optional(),
  /** The same as it was written (rule W19); absent in rows of 0.1.0. */
  context_text: z.string().optional(),
  /** The buy's revision that it was set by: a repeated earlier request changes nothing. */
  set_by_revision: z.int(),
});
export type BuyChannel = z.infer<typeof BuyChannel>;

export const ReportingChannel = BuyChannel.extend({
  reporting_frequency: ReportingWebhook.shape.reporting_frequency,
  requested_metrics: ReportingWebhook.shape.requested_metrics,
  /** Where the flight stood when it was set. */
  set_at: z.string(),
});
export type ReportingChannel = z.infer<typeof ReportingChannel>;

/** A notification on its way; of an impairment, with the revision it tells. `news` is what 0.1.0 called it in the row. */
export const Unsent = z.strictObject({
  news: Notification,
  impairment: z.strictObject({ impairment_id: z.string(), revision: z.int() }).optional(),
});
export type Unsent = z.infer<typeof Unsent>;

/**
 * What the seller owes the webhooks of one media buy, as it stands in the buy's row. Everything they hear is decided by one
 * compare-and-swap write of it, which moves the cursors and holds the notifications; sending them is repeatable. Instants of the flight, unless said.
 */
export const BuySchedule = z.strictObject({
  media_buy_id: MediaBuyId,
  organization_id: OrganizationId,
  /** Hears of impairments; what its dialect has no word for, the other one hears. */
  push: BuyChannel.nullable(),
  /** Hears delivery reports, and of impairments that cannot be told on the other. */
  reporting: ReportingChannel.nullable(),
  /** Oldest first; none before the flight has begun. */
  stretches: z.array(Stretch),
  /** Every period before it has been reported with its data. */
  reported_until: z.string().nullable(),
  /** Every period from there up to here has been announced as delayed. */
  delayed_until: z.string().nullable(),
  /** The beginnings of reported periods whose data was corrected since. */
  to_adjust: z.array(z.string()),
  /** By day: how many of its corrections have been looked at. */
  corrections_seen: z.record(z.string(), z.int()),
  /** The `sequence_number` of the newest report; 0 before the first. */
  sequence: z.int(),
  unsent: z.array(Unsent),
  /** When the last impairments before the buy's end were told; nothing of impairments is told after it. */
  flushed_at: z.string().nullable(),
  /** When the last notification was made, the `final` report if there are reports: nothing is told after it. */
  ended_at: z.string().nullable(),
  /** When to look again, by the wall clock; null when nothing is owed any more. */
  due_at: z.string().nullable(),
  /** Who is looking, and until when that is believed. */
  lease_id: z.string().nullable(),
  leased_until: z.string().nullable(),
  revision: z.int(),
});
export type BuySchedule = z.infer<typeof BuySchedule>;

/** Where schedules stood before: each is moved into its buy's row. */
export const BuySchedules: CollectionSpec<BuySchedule> = {
  name: 'buy_schedules',
  key: 'media_buy_id',
  schema: BuySchedule,
  indexes: [{ name: 'due', fields: ['due_at'] }],
};

const tolerant = tolerantSchema(BuySchedule);

/** What a buy's row says of its webhooks, or why that cannot be read; null: it has none, undefined: it does not say. Pure. */
export function scheduleIn(buy: MediaBuy): BuySchedule | UnreadableRowError | null | undefined {
  const { media_buy_id, organization_id, reporting, reporting_due_at: due_at = null } = buy;
  if (reporting === undefined || reporting === null) return reporting;
  const parsed = tolerant.safeParse({ ...reporting, media_buy_id, organization_id, due_at });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    ({ path, message }) => `reporting.${path.map(String).join('.')}: ${message}`,
  );
  return new UnreadableRowError('media_buys', media_buy_id, problems);
}

export const REPORTING_IN_BUY: BuyPartSpec<BuySchedule> = {
  due: 'reporting_due_at',
  read(buy) {
    const row = scheduleIn(buy);
    if (row instanceof Error) throw row;
    return row;
  },
  write(buy, { media_buy_id: _id, organization_id: _organization, due_at, ...reporting }) {
    return { ...buy, reporting, reporting_due_at: due_at };
  },
};

/** The schedules of all buys. */
export function buySchedules({ store, clock }: { store: Store; clock: Clock }): BuyParts<BuySchedule> {
  const mediaBuys = store.collection(MediaBuys);
  return createBuyParts({ mediaBuys, former: store.collection(BuySchedules), clock }, REPORTING_IN_BUY);
}

/** A channel that something can still be told on. */
export function isLive<C extends BuyChannel>(channel: C | null): channel is C {
  return channel !== null && channel.registration.ended_at === undefined;
}
