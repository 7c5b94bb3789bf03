import { z } from 'zod';
import { BrandFailureCode, KellerType, RelationshipTrust } from '../../directory/brand/registry-brand.ts';
import { recordOfAnyKey } from '../../platform/record-of-any-key.ts';
import { DomainParam } from '../domain-query.ts';

/** A brand in the public registry's shape, with where it is from and until when that is used. */
export const ResolvedBrand = z.object({
  canonical_id: z.string().describe('The domain, or for a brand within a portfolio `{house domain}#{brand id}`'),
  canonical_domain: z.string(),
  brand_name: z.string().describe('The domain, where its file says no name'),
  names: z.array(z.record(z.string(), z.string())).optional(),
  keller_type: KellerType.optional(),
  parent_brand: z.string().optional(),
  house_domain: z.string().optional().describe('A house that counts: it lists the brand'),
  house_name: z.string().optional(),
  claimed_house_domain: z.string().optional().describe('A house that the brand names, and that does not confirm it'),
  relationship_trust: RelationshipTrust.describe(
    'How far its place in a house holds; its own identity does not hang on it',
  ),
  brand_agent_url: z.string().optional(),
  brand_manifest: recordOfAnyKey(z.unknown(), 'The brand as it is published').optional(),
  source: z.literal('brand_json'),
  source_url: z.string().describe("The URL that answered with the domain's file that counts"),
  seen_at: z.string().describe('When that was read'),
  fresh_until: z.string().describe('From then on who asks has it read again'),
  is_stale: z.boolean().describe('It could not be read again, and is what was read before'),
  warnings: z.array(z.string()).optional(),
});
export type ResolvedBrand = z.infer<typeof ResolvedBrand>;

/** Why a domain has no brand, or none that is known. */
export const BrandProblem = z.object({
  error: z.string(),
  code: z.enum(['NOT_FOUND', 'RATE_LIMITED', 'VALIDATION_ERROR', ...BrandFailureCode.options]),
  domain: z.string(),
  file_status: z.int().optional().describe('The HTTP status at its well-known address'),
  looked_at: z.string().optional(),
});
export type BrandProblem = z.infer<typeof BrandProblem>;

/** One domain. */
export const BrandQuery = z.strictObject({
  domain: DomainParam,
  fresh: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true` has it read again when the last look is over a minute ago'),
});

export const noBrand = {
  404: { description: 'Somebody looked, and the domain has no brand.json', schema: BrandProblem },
  502: { description: 'There may be one: it cannot be read, leads in a circle, or is none', schema: BrandProblem },
  504: { description: 'The domain did not answer in time', schema: BrandProblem },
};
