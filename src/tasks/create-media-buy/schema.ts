import { z } from 'zod';
import { TaskId } from '../../platform/task-id.ts';
import { CreativeInput } from '../../sales/creative/creative-input.ts';
import { MediaBuyView } from '../../sales/media-buy/media-buy-view.ts';
import { TargetingOverlay } from '../../sales/targeting/targeting-overlay.ts';
import { ReportingWebhook } from '../../webhooks/registration/reporting-webhook.ts';
import { BrandManifest } from '../brand-manifest.ts';
import { mutationFields } from '../mutation-fields.ts';
import { Instant } from '../../platform/instant.ts';
import { StartTime } from './start-time.ts';

const Name = z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters');
/** In one request. */
export const MAX_PACKAGES = 100;
/** Amounts are checked against the pricing option's currency, exactly and by name (rule B3). */
const Amount = z.number();
const DECIMAL = "Decimal in the pricing option's currency, with no more places than it has";

export const PackageRequest = z.strictObject({
  buyer_ref: Name.optional().describe('Your name for the package.'),
  product_id: Name.describe('From get_products.'),
  pricing_option_id: Name.describe('Of the product, from get_products.'),
  budget: Amount.describe(`${DECIMAL}; the option's min_spend or more, a flat fee in full.`),
  bid_price: Amount.optional().describe(
    `${DECIMAL}, per thousand: needed where the pricing_model ends in -auction, its floor or more; else left out.`,
  ),
  currency: Name.optional().describe("What you count on paying in; refused where the option's is another."),
  price: Amount.optional().describe(
    "What you count on as the option's price, or an auction's floor; refused where that is another, also once the buy is begun.",
  ),
  targeting_overlay: TargetingOverlay.optional().describe("Narrows the package within the product's targeting."),
  creative_ids: z
    .array(Name)
    .max(100, 'send at most 100 creatives')
    .optional()
    .describe('Creatives of your library, see list_creatives.'),
  creatives: z
    .array(CreativeInput)
    .max(100, 'send at most 100 creatives')
    .optional()
    .describe('Creatives that are stored with the buy, as by sync_creatives.'),
  start_time: Instant.optional().describe(
    "From when the package runs, within the buy's flight; default: with the buy.",
  ),
  end_time: Instant.optional().describe("Until when, within the buy's flight; default: until the buy's end."),
  paused: z.boolean().optional().describe('The package waits until it is resumed by update_media_buy.'),
});
export type PackageRequest = z.infer<typeof PackageRequest>;

/** The request of `create_media_buy` (rule C.tasks.create_media_buy). */
export const CreateMediaBuyRequest = z.strictObject({
  buyer_ref: Name.describe('Your name for the buy, unique among your media buys that are not over.'),
  brand_manifest: BrandManifest.describe('What is advertised, or where that is told.'),
  packages: z
    .array(PackageRequest)
    .min(1, 'send at least one package')
    .max(MAX_PACKAGES, `send at most ${MAX_PACKAGES} packages`)
    .describe('All in one currency.'),
  start_time: StartTime,
  end_time: Instant.describe("After the start, within the products' flight."),
  paused: z.boolean().optional().describe('The buy is booked, and runs once it is resumed by update_media_buy.'),
  reporting_webhook: ReportingWebhook.optional().describe(
    'Where delivery of the buy is reported, by a schedule of its own, until its final report.',
  ),
  ...mutationFields,
});
export type CreateMediaBuyRequest = z.infer<typeof CreateMediaBuyRequest>;

/** The response of `create_media_buy`. */
export const CreateMediaBuyResponse = MediaBuyView.extend({ task_id: TaskId });
export type CreateMediaBuyResponse = z.infer<typeof CreateMediaBuyResponse>;
