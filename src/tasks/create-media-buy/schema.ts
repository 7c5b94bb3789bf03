import { z } from 'zod';
import { TaskId } from '../../platform/task-id.ts';
import { CreativeInput } from '../../sales/creative/creative-input.ts';
import { MediaBuyView } from '../../sales/media-buy/media-buy-view.ts';
import { TargetingOverlay } from '../../sales/targeting/targeting-overlay.ts';
import { ReportingWebhook } from '../../webhooks/registration/reporting-webhook.ts';
import { BrandManifest } from '../brand-manifest.ts';
import { mutationFields } from '../mutation-fields.ts';
import { Instant, StartTime } from './start-time.ts';

const Name = z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters');
/** In one request. */
export const MAX_PACKAGES = 100;
/** Amounts are checked against the pricing option's currency, exactly and by name (rule B3). */
const Amount = z.number();

export const PackageRequest = z.strictObject({
  buyer_ref: Name.optional(),
  product_id: Name,
  pricing_option_id: Name,
  budget: Amount,
  bid_price: Amount.optional(),
  targeting_overlay: TargetingOverlay.optional(),
  /** Creatives of the caller's library. */
  creative_ids: z.array(Name).max(100, 'send at most 100 creatives').optional(),
  /** Creatives that are stored with the buy, as by `sync_creatives`. */
  creatives: z.array(CreativeInput).max(100, 'send at most 100 creatives').optional(),
});
export type PackageRequest = z.infer<typeof PackageRequest>;

/** The request of `create_media_buy` (rule C.tasks.create_media_buy). */
export const CreateMediaBuyRequest = z.strictObject({
  buyer_ref: Name,
  brand_manifest: BrandManifest,
  packages: z
    .array(PackageRequest)
    .min(1, 'send at least one package')
    .max(MAX_PACKAGES, `send at most ${MAX_PACKAGES} packages`),
  start_time: StartTime,
  end_time: Instant,
  /** Where delivery is reported, by a schedule of its own (rule W10). */
  reporting_webhook: ReportingWebhook.optional(),
  ...mutationFields,
});
export type CreateMediaBuyRequest = z.infer<typeof CreateMediaBuyRequest>;

/** The response of `create_media_buy`. */
export const CreateMediaBuyResponse = MediaBuyView.extend({ task_id: TaskId });
export type CreateMediaBuyResponse = z.infer<typeof CreateMediaBuyResponse>;
