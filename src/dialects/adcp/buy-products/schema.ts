import { z } from 'zod';
import { AdcpPackage } from '../create-media-buy/schema.ts';
import { EnvelopeFields } from '../envelope.ts';
import { AccountRef, BrandRef } from '../refs.ts';
import { AdcpReportingWebhook } from '../webhooks/asked-webhooks.ts';

/** What is bought of one product. */
export const AdcpPurchase = z.looseObject({
  ...AdcpPackage.shape,
  budget: z.number('send the most that is spent on it'),
  pricing: z.looseObject({}).optional(),
  start_time: z.string().max(64).optional(),
  end_time: z.string().max(64).optional(),
});
export type AdcpPurchase = z.infer<typeof AdcpPurchase>;

export const AdcpBuyProductsRequest = z.looseObject({
  ...EnvelopeFields.shape,
  account: AccountRef,
  brand: BrandRef.optional(),
  name: z.string().max(255).regex(/\S/, 'must say something').optional(),
  feed_version: z.string('send the feed_version of list_products').min(1).max(256),
  pricing_version: z.string().max(256).optional(),
  purchases: z.array(AdcpPurchase).min(1, 'send at least one purchase').max(100, 'send at most 100 purchases'),
  total_budget: z.looseObject({ amount: z.number(), currency: z.string().max(8) }).optional(),
  start_time: z.string().max(64),
  end_time: z.string().max(64),
  purchase_order_ref: z.string().max(255).optional(),
  reporting_webhook: AdcpReportingWebhook.optional(),
});
export type AdcpBuyProductsRequest = z.infer<typeof AdcpBuyProductsRequest>;
