import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { SLOTS_PATTERN } from './measure.ts';
import { WATCHED_PATTERN } from './watched.ts';

/** See `measure.ts`. */
const MeasureSlots = z.string().regex(SLOTS_PATTERN);

/** An hour as it was, or is. The last two are there where the ad server counts them. */
const CountedHour = z.strictObject({
  impressions: z.int(),
  spend_minor: z.int(),
  clicks: z.int(),
  viewable: z.int().optional(),
  completions: z.int().optional(),
});

/** A count of an hour that took the place of an earlier one, kept so that the change can be seen. */
export const Correction = z.strictObject({
  correction_id: z.string(),
  package_id: z.string(),
  /** The hour's first instant. */
  hour: z.string(),
  /** When it was recorded, by the wall clock. */
  recorded_at: z.string(),
  before: CountedHour,
  after: CountedHour,
});
export type Correction = z.infer<typeof Correction>;

/**
 * What a buy's packages delivered on one day of UTC, by the hour: the facts. An hour is written once; only a correction
 * changes it, and says so.
 */
export const DeliveryDay = z.strictObject({
  /** See {@link dayKey}. */
  day_key: z.string(),
  media_buy_id: MediaBuyId,
  /** `2026-04-01`. */
  day: z.string(),
  /** By package: slots numbered by the hour. */
  hours: z.record(z.string(), MeasureSlots),
  /** Likewise what became of the impressions, see `watched.ts`; absent where no ad server counts it. */
  watched: z.record(z.string(), z.string().regex(WATCHED_PATTERN)).optional(),
  corrections: z.array(Correction),
  /** When the newest correction was recorded; null when there is none. */
  corrected_at: z.string().nullable(),
  /** When it was written last, by the wall clock; it never goes back. Absent from rows of 0.1.0 that nothing has touched since. */
  changed_at: z.string().optional(),
  revision: z.int(),
});
export type DeliveryDay = z.infer<typeof DeliveryDay>;

/** The sums of a month's days: derived from {@link DeliveryDay}, so that a year is read in twelve rows. */
export const DeliveryMonth = z.strictObject({
  /** See {@link monthKey}. */
  month_key: z.string(),
  media_buy_id: MediaBuyId,
  /** `2026-04`. */
  month: z.string(),
  /** By package: slots numbered by the day of the month. */
  days: z.record(z.string(), MeasureSlots),
  /** By the day of the month: the revision of the facts it was summed from. */
  summed_from: z.record(z.string(), z.int()),
  revision: z.int(),
});
export type DeliveryMonth = z.infer<typeof DeliveryMonth>;

export const DeliveryDays: CollectionSpec<DeliveryDay> = {
  name: 'delivery_days',
  key: 'day_key',
  schema: DeliveryDay,
  indexes: [
    { name: 'media_buy_corrected', fields: ['media_buy_id', 'corrected_at'] },
    { name: 'day_changed', fields: ['day', 'changed_at'] },
  ],
};

export const DeliveryMonths: CollectionSpec<DeliveryMonth> = {
  name: 'delivery_months',
  key: 'month_key',
  schema: DeliveryMonth,
  indexes: [{ name: 'media_buy_month', fields: ['media_buy_id', 'month'] }],
};

export interface DeliveryFacts {
  days: Collection<DeliveryDay>;
  months: Collection<DeliveryMonth>;
}

/** The facts as they are written: with the clock that says when, for whoever adds them up. */
export interface WritableFacts extends DeliveryFacts {
  clock: Clock;
}

/** The key of a day's facts; `day` as `2026-04-01`. */
export function dayKey(media_buy_id: MediaBuyId, day: string): string {
  return `${media_buy_id}/${day}`;
}

/** The key of a month's sums; `month` as `2026-04`. */
export function monthKey(media_buy_id: MediaBuyId, month: string): string {
  return `${media_buy_id}/${month}`;
}
