import { z } from 'zod';
import { FormatId } from '../format/format.ts';
import { looksOwned } from './creative-ref.ts';

const Count = z.int('must be a whole number').positive('must be positive').max(Number.MAX_SAFE_INTEGER);
const Url = z.string().min(1, 'must not be empty').max(2048, 'must be at most 2048 characters');

/** The buyer's name for a creative, unique in its library. */
export const CreativeId = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(255, 'must be at most 255 characters')
  .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
  .refine((id) => !looksOwned(id), 'must not begin with the id of an account and a slash')
  .describe('Yours, unique in your library.');

/**
 * One asset as sent (rule C.tasks.sync_creatives). What of it is needed follows from the format's rule; further
 * members are kept as they are.
 */
export const AssetInput = z.looseObject({
  /** What it is, when said: must be the kind of the format's rule. */
  asset_type: z.string().max(64).optional(),
  kind: z.string().max(64).optional(),
  url: Url.optional(),
  /** Text, or a tag or document sent inline. */
  content: z.string().max(512_000, 'must be at most 512000 characters').optional(),
  width: Count.optional(),
  height: Count.optional(),
  duration_ms: Count.optional(),
  mime_type: z.string().max(128).optional(),
  bitrate_kbps: Count.optional(),
  file_size_kb: z.number().positive('must be positive').optional(),
  file_size_bytes: Count.optional(),
});
export type AssetInput = z.infer<typeof AssetInput>;

/** A creative as sent to `sync_creatives`, or inline in a package of `create_media_buy`. */
export const CreativeInput = z.strictObject({
  creative_id: CreativeId,
  name: z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters'),
  format_id: FormatId,
  assets: z
    .record(z.string().max(128), AssetInput)
    .refine((assets) => Object.keys(assets).length <= 50, 'must hold at most 50 assets')
    .describe('By the asset keys of the format, see list_creative_formats.'),
  tags: z.array(z.string().trim().min(1).max(64)).max(50).default([]),
});
export type CreativeInput = z.infer<typeof CreativeInput>;
