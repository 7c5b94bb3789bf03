import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** A file as it was fetched. */
const FetchedJson = z.object({ url: z.string(), json: z.string() });
export type FetchedJson = z.infer<typeof FetchedJson>;

/**
 * What a look at a domain's brand.json read: its own file, and those that `authoritative_location` led to, of which the last counts.
 * Written before the brand's row names it, and never changed but in its expiry; what no row names goes with that.
 */
const BrandDocument = z.object({
  document_id: z.string(),
  chain: z.array(FetchedJson).min(1),
  expires_at: z.string(),
  revision: z.int(),
});
type BrandDocument = z.infer<typeof BrandDocument>;

export const brandDocuments: CollectionSpec<BrandDocument> = {
  name: 'brand_documents',
  key: 'document_id',
  schema: BrandDocument,
  indexes: [],
  expires: 'expires_at',
};

/** The id of what was read at a domain: another for other bytes, or other places. */
export function brandDocumentId(domain: string, chain: readonly FetchedJson[]): string {
  return `${domain}.${createHash('sha256').update(JSON.stringify(chain)).digest('base64url')}`;
}
