import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Keller's kinds of a brand, as brand.json names them. */
export const KellerType = z.enum(['master', 'sub_brand', 'endorsed', 'independent']);

/**
 * How far a brand's place in a house holds: `inline` and `mutual` count; `leaf_only` is what a brand says alone, and `unverifiable`
 * what could not be looked at.
 */
export const RelationshipTrust = z.enum(['inline', 'mutual', 'leaf_only', 'standalone', 'unverifiable']);
export type RelationshipTrust = z.infer<typeof RelationshipTrust>;

/** Why a file that may well be there is not known. */
export const BrandFailureCode = z.enum([
  'UNREACHABLE',
  'TIMEOUT',
  'REDIRECT_LOOP',
  'REDIRECT_TOO_DEEP',
  'INVALID_FILE',
]);
export type BrandFailureCode = z.infer<typeof BrandFailureCode>;

/** Whom a domain's brand.json resolved to when it was last asked for: what lists and searches show. */
export const BrandIdentity = z.object({
  canonical_domain: z.string(),
  brand_name: z.string(),
  /** Found by these (`brand-name.ts`). */
  names: z.array(z.string()),
  keller_type: KellerType.optional(),
  parent_brand: z.string().optional(),
  /** A house that counts. */
  house_domain: z.string().optional(),
  brand_agent_url: z.string().optional(),
  has_manifest: z.boolean(),
  relationship_trust: RelationshipTrust,
});
export type BrandIdentity = z.infer<typeof BrandIdentity>;

/** A change of what stands at a domain. */
export const BrandRevision = z.object({
  number: z.int(),
  at: z.string(),
  /** Of the files; null: they were gone. */
  digest: z.string().nullable(),
  /** The URL that answered with what counts; null: none, or one that is too long. */
  source_url: z.string().nullable(),
  /** The HTTP status at the well-known address. */
  file_status: z.int().nullable(),
  /** In our words. */
  summary: z.string(),
});
export type BrandRevision = z.infer<typeof BrandRevision>;

/** A domain whose brand.json somebody asked for, and what the last look found. */
export const RegistryBrand = z.object({
  /** By rule R1. */
  domain: z.string(),
  /** When the look began that counts: of those taken over, the one begun last. */
  looked_at: z.string(),
  outcome: z.enum(['read', 'absent', 'failed']),
  /** Of a look that failed. */
  failure: z.object({ code: BrandFailureCode, reason: z.string() }).nullable(),
  /** The HTTP status at the well-known address, where something answered. */
  file_status: z.int().nullable(),
  /** From then on who asks has it looked for anew. */
  due_at: z.string(),
  /** What counts (`brand-document.ts`); after a look that failed, for a while, what was read before. */
  file: z.object({ document_id: z.string(), seen_at: z.string() }).nullable(),
  /** Whether it is in lists: there is a file. */
  is_listed: z.boolean(),
  /** Null: there is no file, or nobody has resolved it yet. */
  identity: BrandIdentity.nullable(),
  /** Until then its names are found. */
  names_until: z.string().nullable(),
  /** The newest, oldest first. */
  revisions: z.array(BrandRevision),
  expires_at: z.string(),
  revision: z.int(),
});
export type RegistryBrand = z.infer<typeof RegistryBrand>;

export const registryBrands: CollectionSpec<RegistryBrand> = {
  name: 'registry_brands',
  key: 'domain',
  schema: RegistryBrand,
  indexes: [{ name: 'listed', fields: ['is_listed', 'domain'], holds: [] }],
  expires: 'expires_at',
};

/** A brand that nobody asks for is forgotten after this long, with its history. In milliseconds. */
export const BRAND_KEPT_MS = 90 * 24 * 3_600_000;
/** A domain that never had a file is remembered no longer than its answer is used. */
export const NO_BRAND_KEPT_MS = 2 * 3_600_000;
/** So many revisions of a brand are kept, the newest. */
export const MOST_REVISIONS = 20;
