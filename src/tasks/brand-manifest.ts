import { z } from 'zod';

const WebUrl = z
  .url({ protocol: /^https?$/, error: 'send an http or https URL' })
  .max(2048)
  .describe('An http or https URL.');

/** Where the manifest is, or the manifest itself (rule C.tasks.get_products). */
export const BrandManifest = z.union([
  z.strictObject({ url: WebUrl }),
  z.looseObject({
    name: z.string().trim().min(1, 'must not be empty').max(255, 'must be at most 255 characters'),
    url: WebUrl.optional(),
    tagline: z.string().max(500).optional(),
    colors: z.record(z.string(), z.string().max(64)).optional(),
  }),
]);
export type BrandManifest = z.infer<typeof BrandManifest>;
