import { z } from 'zod';
import { Identifier, Text, WebUrl } from '../catalog-values.ts';
import { contradictions } from './measures.ts';
import type { Measures } from './measures.ts';
import { mediaTypeMistake } from './media-types.ts';

/** Which creative agent defines a format, and the format's name there (rule C.tasks.lists). */
export const FormatId = z
  .strictObject({ agent_url: WebUrl, id: Identifier })
  .describe('From list_creative_formats, or format_ids of a product.');
export type FormatId = z.infer<typeof FormatId>;

/** What a `format_types` filter names. Wider than what the demo publisher sells, so that an honest filter is never an error. */
export const FormatType = z.enum(['display', 'video', 'audio', 'native', 'rich_media', 'dooh']);
export type FormatType = z.infer<typeof FormatType>;

/** What an asset is; the checks that apply to it follow from this. */
export const AssetKind = z.enum(['image', 'video', 'audio', 'html', 'javascript', 'vast', 'text', 'url']);
export type AssetKind = z.infer<typeof AssetKind>;

const pixels = z.int().min(1).max(32_768);
const milliseconds = z.int().min(1).max(86_400_000);
/** Width to height, such as `16:9`. */
const AspectRatio = z.string().regex(/^[1-9]\d{0,4}:[1-9]\d{0,4}$/, 'must be two whole numbers, such as 16:9');
const MimeType = z
  .string()
  .regex(/^[a-z]+\/[a-z0-9.+-]+$/, { error: 'must be a media type, such as image/png', abort: true })
  .superRefine((text, context) => {
    const message = mediaTypeMistake(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

/**
 * What one asset of a creative must be (rule B11). A measure that is absent is free; `width`, `height` and
 * `duration_ms` are exact (a duration to within 500 ms), the `min_`/`max_` ones are inclusive bounds.
 */
export const AssetRule = z
  .strictObject({
    kind: AssetKind,
    required: z.boolean(),
    description: Text.optional(),
    width: pixels.optional(),
    height: pixels.optional(),
    min_width: pixels.optional(),
    min_height: pixels.optional(),
    aspect_ratio: AspectRatio.optional(),
    duration_ms: milliseconds.optional(),
    min_duration_ms: milliseconds.optional(),
    max_duration_ms: milliseconds.optional(),
    min_bitrate_kbps: z.int().positive().optional(),
    max_bitrate_kbps: z.int().positive().optional(),
    mime_types: z.array(MimeType).min(1).optional(),
    max_file_size_kb: z.int().positive().optional(),
    /** Characters, for text. */
    max_length: z.int().positive().optional(),
  })
  .superRefine(noteContradictions);
export type AssetRule = z.infer<typeof AssetRule>;

/** Of a slot with one size: `width` and `height`, in pixels; of one that adapts: its bounds and shape. */
export const Dimensions = z
  .strictObject({
    width: pixels.optional(),
    height: pixels.optional(),
    min_width: pixels.optional(),
    max_width: pixels.optional(),
    min_height: pixels.optional(),
    aspect_ratio: AspectRatio.optional(),
  })
  .superRefine(noteContradictions);
export type Dimensions = z.infer<typeof Dimensions>;

/**
 * A creative format, as a seller writes it in `catalog/formats.json` and as `list_creative_formats` answers it. The
 * keys of `assets` are the keys a creative's own `assets` object uses.
 */
export const Format = z.strictObject({
  format_id: FormatId,
  name: Text,
  type: FormatType,
  description: Text,
  /** Absent for audio. */
  dimensions: Dimensions.optional(),
  /** Of the finished piece, for video and audio. */
  duration_ms: milliseconds.optional(),
  /** What a person must know beside the asset rules, by name. */
  requirements: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  assets: z
    .record(Identifier, AssetRule)
    .refine((assets) => Object.values(assets).some((rule) => rule.required), 'must require at least one asset'),
});
export type Format = z.infer<typeof Format>;

function noteContradictions(measures: Measures, context: z.RefinementCtx): void {
  for (const { field, message } of contradictions(measures))
    context.addIssue({ code: 'custom', path: [field], message });
}

/** One text for one format, whether or not its agent's URL ends in a slash. */
export function formatKey(format_id: FormatId): string {
  return `${format_id.agent_url.replace(/\/+$/, '')}#${format_id.id}`;
}
