import { z } from 'zod';
import { EnvelopeFields } from '../envelope.ts';
import { FormatOptionRef } from '../formats/format-ref.ts';
import { AccountRef, BrandRef, FormatRef } from '../refs.ts';
import { AdcpReportingWebhook } from '../webhooks/asked-webhooks.ts';

/** A creative that comes along; what else it says is for its own format to judge. */
export const AdcpCreative = z.looseObject({
  creative_id: z.string().max(255),
  name: z.string().max(255),
  format_id: FormatRef.optional(),
  format_kind: z.string().max(128).optional(),
  format_option_ref: FormatOptionRef.optional(),
  assets: z.record(z.string().max(128), z.looseObject({})).optional(),
  tags: z.array(z.string().max(64)).max(50).optional(),
  industry_identifiers: z.array(z.looseObject({})).max(100).nullish(),
  provenance: z.looseObject({}).nullish(),
});
export type AdcpCreative = z.infer<typeof AdcpCreative>;

export const AdcpAssignment = z.looseObject({ creative_id: z.string().max(255) });

/** What is asked of measurement; what else it says is for the product to refuse. */
const AdcpMeasurementTerms = z.looseObject({
  billing_measurement: z
    .looseObject({
      vendor: BrandRef,
      measurement_window: z.string().max(128).nullish(),
      max_variance_percent: z.number().min(0).lt(100, 'send less than 100').nullish(),
    })
    .nullish(),
  makegood_policy: z.looseObject({ available_remedies: z.array(z.string().max(64)).min(1).max(20) }).nullish(),
});

/** What a package is asked to be. */
export const AdcpPackage = z.looseObject({
  product_id: z.string().max(255),
  pricing_option_id: z.string().max(255),
  budget: z.number().nullish(),
  bid_price: z.number().nullish(),
  targeting_overlay: z.looseObject({}).nullish(),
  creative_assignments: z.array(AdcpAssignment).max(100).optional(),
  creatives: z.array(AdcpCreative).max(100).optional(),
  paused: z.boolean().nullish(),
  measurement_terms: AdcpMeasurementTerms.nullish(),
  format_ids: z.array(FormatRef).max(100).nullish(),
  format_option_refs: z.array(FormatOptionRef).max(100).nullish(),
  format_kind: z.string().max(128).nullish(),
  params: z.looseObject({}).nullish(),
  agency_estimate_number: z.string().max(100).nullish(),
  context: z.looseObject({}).nullish(),
  ext: z.looseObject({}).nullish(),
});
export type AdcpPackage = z.infer<typeof AdcpPackage>;

export const AdcpCreateMediaBuyRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef,
  brand: BrandRef,
  name: z.string().max(255).optional(),
  start_time: z.string().max(64),
  end_time: z.string().max(64),
  packages: z.array(AdcpPackage).max(100, 'send at most 100 packages').optional(),
  paused: z.boolean().nullish(),
  po_number: z.string().max(255).nullish(),
  agency_estimate_number: z.string().max(100).nullish(),
  advertiser_industry: z.string().max(128).nullish(),
  plan_id: z.string().max(255).nullish(),
  io_acceptance: z.looseObject({}).nullish(),
  ext: z.looseObject({}).nullish(),
  reporting_webhook: AdcpReportingWebhook.nullish(),
});
export type AdcpCreateMediaBuyRequest = z.infer<typeof AdcpCreateMediaBuyRequest>;
