import { z } from 'zod';
import { HealthView } from '../../sales/impairment/impairment-view.ts';
import { MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import { HistoryView, MediaBuyView } from '../../sales/media-buy/media-buy-view.ts';
import { PendingChangeView } from '../../sales/media-buy/pending-change.ts';
import { readFields } from '../mutation-fields.ts';
import { pageFields, pageView } from '../paging.ts';

const Name = z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters');

function oneOrMany<T extends z.ZodType>(item: T) {
  return z.union([item, z.array(item).min(1, 'send at least one').max(100, 'send at most 100')]);
}

/** The request of `get_media_buys` (rules B8, B9). */
export const GetMediaBuysRequest = z.strictObject({
  media_buy_ids: z
    .array(Name.brand<'MediaBuyId'>())
    .min(1, 'send at least one id')
    .max(100, 'send at most 100 ids')
    .optional(),
  status: oneOrMany(MediaBuyStatus).optional(),
  buyer_ref: oneOrMany(Name).optional(),
  account_id: Name.optional().describe('Those that were booked under this account, or under none.'),
  include_webhook_activity: z.boolean().default(false).describe('With the fires of webhooks about each buy.'),
  ...pageFields,
  ...readFields,
});
export type GetMediaBuysRequest = z.infer<typeof GetMediaBuysRequest>;

/** One fire of a webhook about the buy (rule C.events.7). */
const WebhookActivityView = z.object({
  idempotency_key: z.string(),
  task_id: z.string(),
  task_type: z.string(),
  event: z.string(),
  sequence_number: z.int(),
  url: z.string(),
  status: z.string(),
  attempt: z.int(),
  http_status_code: z.int().optional(),
  error_message: z.string().optional(),
  timestamp: z.string(),
  duration_ms: z.number().optional(),
});

export const MediaBuyRow = MediaBuyView.extend({
  /** Oldest first. */
  history: z.array(HistoryView),
  pending_change: PendingChangeView.optional(),
  ...HealthView.shape,
  /** Most recent first; present exactly when it was asked for. */
  webhook_activity: z.array(WebhookActivityView).optional(),
});
export type MediaBuyRow = z.infer<typeof MediaBuyRow>;

/** The response of `get_media_buys`: the newest buy first. */
export const GetMediaBuysResponse = z.object({ media_buys: z.array(MediaBuyRow), ...pageView });
export type GetMediaBuysResponse = z.infer<typeof GetMediaBuysResponse>;
