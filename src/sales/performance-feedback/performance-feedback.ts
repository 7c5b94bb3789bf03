import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

/** What a score is about, by the names of AdCP. */
export const FeedbackMetric = z.enum([
  ...['overall_performance', 'conversion_rate', 'brand_lift', 'click_through_rate'],
  ...['completion_rate', 'viewability', 'brand_safety', 'cost_efficiency'],
] as const);

/** Who measured it. */
export const FeedbackSource = z.enum([
  ...['buyer_attribution', 'third_party_measurement', 'platform_analytics', 'verification_partner'],
] as const);

/** How well a buyer says that a media buy has done. People at the seller read it; nothing is done by it. */
export const PerformanceFeedback = z.object({
  /** From the task that brought it, so that this brings it once. */
  feedback_id: z.string(),
  organization_id: OrganizationId,
  media_buy_id: MediaBuyId,
  /** Null: of the whole media buy. */
  package_id: z.string().nullable(),
  /** Null: of all creatives. */
  creative_id: z.string().nullable(),
  metric_type: FeedbackMetric,
  feedback_source: FeedbackSource,
  /** 0: of no value; 1: as expected. */
  performance_index: z.number(),
  measurement_period: z.object({ start: z.string(), end: z.string() }),
  created_at: z.string(),
  expires_at: z.string(),
  revision: z.int(),
});
export type PerformanceFeedback = z.infer<typeof PerformanceFeedback>;

/** For so many days it is kept. */
export const FEEDBACK_KEPT_DAYS = 730;

export const PerformanceFeedbacks: CollectionSpec<PerformanceFeedback> = {
  name: 'performance_feedback',
  key: 'feedback_id',
  schema: PerformanceFeedback,
  expires: 'expires_at',
  indexes: [
    { name: 'by_organization', fields: ['organization_id', 'created_at'] },
    { name: 'by_media_buy', fields: ['media_buy_id', 'created_at'] },
    { name: 'by_creation', fields: ['created_at'] },
  ],
};
