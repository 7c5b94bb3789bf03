import { z } from 'zod';
import { AdcpAssignment, AdcpCreative, AdcpPackage } from '../create-media-buy/schema.ts';
import { EnvelopeFields } from '../envelope.ts';
import { AccountRef } from '../refs.ts';
import { AdcpReportingWebhook } from '../webhooks/asked-webhooks.ts';

export const AdcpPackageUpdate = z.looseObject({
  package_id: z.string().max(255),
  budget: z.number().nullish(),
  bid_price: z.number().nullish(),
  paused: z.boolean().nullish(),
  targeting_overlay: z.looseObject({}).nullish(),
  creative_assignments: z.array(AdcpAssignment).max(100).optional(),
  creatives: z.array(AdcpCreative).max(100).optional(),
  context: z.looseObject({}).nullish(),
  ext: z.looseObject({}).nullish(),
});
export type AdcpPackageUpdate = z.infer<typeof AdcpPackageUpdate>;

export const AdcpUpdateMediaBuyRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef.optional(),
  media_buy_id: z.string().min(1).max(255),
  name: z.string().regex(/\S/, 'must not be blank').max(255, 'must be at most 255 characters').nullish(),
  revision: z.int().min(1).nullish(),
  paused: z.boolean().nullish(),
  canceled: z.boolean().nullish(),
  cancellation_reason: z.string().max(500).nullish(),
  start_time: z.string().max(64).nullish(),
  end_time: z.string().max(64).nullish(),
  packages: z.array(AdcpPackageUpdate).max(100, 'send at most 100 packages').optional(),
  new_packages: z.array(AdcpPackage).max(100, 'send at most 100 packages').nullish(),
  reporting_webhook: AdcpReportingWebhook.nullish(),
  ext: z.looseObject({}).nullish(),
});
export type AdcpUpdateMediaBuyRequest = z.infer<typeof AdcpUpdateMediaBuyRequest>;
