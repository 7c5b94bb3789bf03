import { z } from 'zod';
import { instantField } from '../../platform/instant.ts';
import { GRANULARITIES } from '../../sales/delivery/granularity.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import { readFields } from '../mutation-fields.ts';

const Id = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(255, 'must be at most 255 characters')
  .brand<'MediaBuyId'>();
const Ids = z.array(Id).min(1, 'send at least one id').max(100, 'send at most 100 ids');

const DATE_NEEDED = 'send a date such as 2027-01-15, or an RFC 3339 date-time with an offset';

/** A day, or an instant with its offset on the hour, in UTC: facts are kept by the hour. */
const DateOrInstant = z.union([z.iso.date({ error: DATE_NEEDED }), instantField(DATE_NEEDED)]);

/** The request of `get_media_buy_delivery` (rules C.tasks.delivery, B10). */
export const GetMediaBuyDeliveryRequest = z.strictObject({
  media_buy_id: z.union([Id, Ids]).optional().describe('One, or a list as in media_buy_ids; send one of the two.'),
  media_buy_ids: Ids.optional(),
  /** Any text, so that an unknown one can be answered with those there are. */
  granularity: z
    .string()
    .max(64)
    .optional()
    .describe(`One of ${GRANULARITIES.join(', ')}; daily when it is left out.`),
  time_granularity: z.string().max(64).optional().describe('Another name of granularity.'),
  date_range: z
    .strictObject({ start: DateOrInstant.optional(), end: DateOrInstant.optional() })
    .optional()
    .describe('From start on, up to but without end, in full hours of UTC. Default: the whole flight until now.'),
  package_timeseries: z
    .array(z.enum(GRANULARITIES))
    .max(GRANULARITIES.length)
    .optional()
    .describe('Each package over time, too, in each of these granularities.'),
  ...readFields,
});
export type GetMediaBuyDeliveryRequest = z.infer<typeof GetMediaBuyDeliveryRequest>;

/** Whole counts; `spend` and `cpm` are decimals of the buy's currency. `ctr` and `cpm` are absent without impressions. */
export const Delivered = z.object({
  impressions: z.int(),
  spend: z.number(),
  clicks: z.int(),
  ctr: z.number().optional(),
  cpm: z.number().optional(),
});
export type Delivered = z.infer<typeof Delivered>;

const Period = z.object({ start: z.string(), end: z.string() });

/** What was delivered in a step of time. */
export const DeliveredStep = Delivered.extend(Period.shape);
export type DeliveredStep = z.infer<typeof DeliveredStep>;

/** What one buy delivered. `delivery` is the exact sum of `by_package`, and of `timeseries`. */
export const DeliveryRow = z.object({
  media_buy_id: MediaBuyId,
  buyer_ref: z.string(),
  /** The buy's state, or `reporting_delayed` while its data is late (rule B1). */
  status: z.enum([...MediaBuyStatus.options, 'reporting_delayed']),
  currency: z.string(),
  granularity: z.string(),
  date_range: Period,
  delivery: Delivered,
  by_package: z.array(
    Delivered.extend({
      package_id: z.string(),
      buyer_ref: z.string().optional(),
      /** By granularity, those that were asked for; each adds up to the package's own figures. */
      timeseries: z.partialRecord(z.enum(GRANULARITIES), z.array(DeliveredStep)).optional(),
    }),
  ),
  timeseries: z.array(DeliveredStep),
  /** With `package_timeseries`: hours before it will not be stated otherwise; null when none ever will. */
  final_until: z.string().nullable().optional(),
  /** Hours whose counts were corrected after they had been reported. */
  corrections: z.array(
    z.object({
      package_id: z.string(),
      hour: z.string(),
      recorded_at: z.string(),
      before: Delivered,
      after: Delivered,
    }),
  ),
});
export type DeliveryRow = z.infer<typeof DeliveryRow>;

/** The sum over several buys. Amounts of several currencies do not add up and stand apart. */
export const AggregatedTotals = z.object({
  media_buy_count: z.int(),
  impressions: z.int(),
  clicks: z.int(),
  spend_by_currency: z.array(z.object({ currency: z.string(), spend: z.number() })),
  /** When all buys have one currency. */
  spend: z.number().optional(),
  currency: z.string().optional(),
});
export type AggregatedTotals = z.infer<typeof AggregatedTotals>;

/** The response: the row itself for one `media_buy_id`, rows and their totals for a list. */
export const GetMediaBuyDeliveryResponse = z.union([
  DeliveryRow,
  z.object({ media_buy_deliveries: z.array(DeliveryRow), aggregated_totals: AggregatedTotals }),
]);
export type GetMediaBuyDeliveryResponse = z.infer<typeof GetMediaBuyDeliveryResponse>;
