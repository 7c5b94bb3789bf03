import { z } from 'zod';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import { CreativeInput } from '../../sales/creative/creative-input.ts';
import { TargetingOverlay } from '../../sales/targeting/targeting-overlay.ts';
import { PushNotificationConfig } from '../../webhooks/registration/push-notification-config.ts';
import { ReportingWebhook } from '../../webhooks/registration/reporting-webhook.ts';
import { MAX_PACKAGES, PackageRequest } from '../create-media-buy/schema.ts';
import { Instant } from '../../platform/instant.ts';
import { StartTime } from '../create-media-buy/start-time.ts';
import { mutationFields } from '../mutation-fields.ts';

const Id = z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters');
/** Amounts are checked against the buy's currency, exactly and by name (rule B3). */
const Amount = z.number().describe("Decimal in the buy's currency, with no more places than it has.");

export const PackageUpdate = z.strictObject({
  package_id: Id.describe("Of the buy's packages, see get_media_buys."),
  budget: Amount.optional(),
  bid_price: Amount.optional(),
  targeting_overlay: TargetingOverlay.optional(),
  creative_ids: z
    .array(Id)
    .max(100, 'send at most 100 creatives')
    .optional()
    .describe('All that the package is to have, of your library.'),
  creatives: z
    .array(CreativeInput)
    .max(100, 'send at most 100 creatives')
    .optional()
    .describe(
      'Creatives that are stored with the change, as by sync_creatives, and that the package is to have besides.',
    ),
  paused: z.boolean().optional().describe('Of this package alone.'),
});
export type PackageUpdate = z.infer<typeof PackageUpdate>;

/** What can be changed (rule B6). */
export const Updates = z.strictObject({
  status: z
    .enum(['active', 'paused', 'canceled'])
    .optional()
    .describe('active resumes, paused pauses, canceled cancels for good and is sent alone.'),
  cancellation_reason: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(500, 'must be at most 500 characters')
    .optional()
    .describe('Why it is canceled, for both sides to read.'),
  budget_change: z
    .union([Amount, z.strictObject({ package_id: Id, amount: Amount })])
    .optional()
    .describe('Added to the total, each package by its share of it; or to one package. May be negative.'),
  start_time: StartTime.optional(),
  end_time: Instant.optional(),
  targeting: TargetingOverlay.optional().describe(
    'The targeting of every package of the buy that is not named in packages with one of its own.',
  ),
  packages: z.array(PackageUpdate).min(1, 'name at least one package').max(100, 'send at most 100 packages').optional(),
  new_packages: z
    .array(PackageRequest)
    .min(1, 'name at least one package')
    .max(MAX_PACKAGES, `send at most ${MAX_PACKAGES} packages`)
    .optional()
    .describe(
      "Packages to add, as create_media_buy takes them, in the buy's currency; their own targeting alone is theirs.",
    ),
  push_notification_config: PushNotificationConfig.optional().describe(
    'Where impairments of the buy are told from the next one on.',
  ),
  reporting_webhook: ReportingWebhook.optional().describe(
    'Where and how delivery is reported from the next report on.',
  ),
});
export type Updates = z.infer<typeof Updates>;

/** The request of `update_media_buy` (rules C.tasks.update_media_buy, B6). */
export const UpdateMediaBuyRequest = z.strictObject({
  media_buy_id: Id.brand<'MediaBuyId'>().describe('Of the response of create_media_buy, or get_media_buys.'),
  revision: z
    .int()
    .min(1)
    .optional()
    .describe('The revision that you have seen; a buy that has moved on since answers CONFLICT.'),
  updates: Updates.describe('At least one of these.'),
  ...mutationFields,
});
export type UpdateMediaBuyRequest = z.infer<typeof UpdateMediaBuyRequest>;

/** The response of `update_media_buy` (rule B6). */
export const UpdateMediaBuyResponse = z.object({
  media_buy_id: MediaBuyId,
  status: MediaBuyStatus,
  revision: z.int(),
  affected_packages: z.array(z.string()),
  /** Of these, the packages that were added, in the request's order; absent where none was. */
  new_packages: z.array(z.string()).optional(),
  /** When the change took hold; null while a person at the seller must approve it. */
  implementation_date: z.string().nullable(),
});
export type UpdateMediaBuyResponse = z.infer<typeof UpdateMediaBuyResponse>;
