import { z } from 'zod';
import { OrganizationId } from '../platform/organization-id.ts';
import type { CollectionSpec } from '../platform/store/collection.ts';
import { Registration } from '../runtime/registration.ts';
import { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
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
 * What the seller owes the webhooks of one media buy. Everything they hear is decided by one compare-and-swap write of
 * this row, which moves the cursors and holds the notifications; sending them is repeatable. Instants of the flight, unless said.
 */
export const BuySchedule = z.strictObject({
  media_buy_id: MediaBuyId,
  organization_id: OrganizationId,
  /** Hears of impairments. */
  push: BuyChannel.nullable(),
  /** Hears delivery reports. */
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

export const BuySchedules: CollectionSpec<BuySchedule> = {
  name: 'buy_schedules',
  key: 'media_buy_id',
  schema: BuySchedule,
  indexes: [{ name: 'due', fields: ['due_at'] }],
};

/** A channel that something can still be told on. */
export function isLive<C extends BuyChannel>(channel: C | null): channel is C {
  return channel !== null && channel.registration.ended_at === undefined;
}
