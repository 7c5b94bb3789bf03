import { z } from 'zod';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { recordOfAnyKey } from '../../platform/record-of-any-key.ts';
import { endpoint } from '../endpoint.ts';
import { askForBrand } from './ask-for-brand.ts';
import { brandFiles } from './look.ts';
import { BrandProblem, BrandQuery, noBrand, ResolvedBrand } from './schema.ts';

/** Rules R16.public, R16.brands. */
export const resolveBrand = endpoint({
  id: 'resolveBrand',
  method: 'get',
  path: '/api/brands/resolve',
  tag: 'Brands',
  summary: 'Resolve a domain to the brand that it stands for, by its brand.json',
  description:
    "Read from the domain's own site, kept for a day. A domain that cannot be read is never said to have no brand. Answers within 10 seconds.",
  access: 'public',
  effect: 'read',
  limit: 'resolve_brand',
  query: BrandQuery,
  responses: { 200: { description: 'The brand', schema: ResolvedBrand }, ...noBrand },
  handle: ({ query: { domain, fresh } }, call) =>
    askForBrand(call, brandFiles(call, { isFresh: fresh === 'true' }), domain),
});

/** Domains of one request that are looked at together. */
const AT_ONCE = 8;
/** Of all manifests of one answer, in characters; beyond it brands come without. */
const MOST_MANIFESTS = 2_000_000;

/** Rules R16.public, R16.brands. */
export const resolveBrands = endpoint({
  id: 'resolveBrandsBulk',
  method: 'post',
  path: '/api/brands/resolve/bulk',
  tag: 'Brands',
  summary: 'Resolve up to 100 domains to their brands, each with an answer of its own',
  description: `Null is a domain that has no brand.json for sure; one that cannot be told has \`error\` and \`code\` instead of a brand. Answers within 10 seconds: what did not come so far is TIMEOUT, and can be asked for again. Manifests are left out beyond ${MOST_MANIFESTS} characters.`,
  access: 'public',
  effect: 'read',
  limit: 'resolve_brands',
  body: z.strictObject({
    domains: z
      .array(z.string().max(INPUT_LIMITS.domainInputLength))
      .min(1, 'send at least one domain')
      .max(100, 'send at most 100 domains'),
  }),
  bodyBytes: INPUT_LIMITS.bulkResolveBodyBytes,
  responses: {
    200: {
      description: 'An entry for each domain sent',
      schema: z.object({
        results: recordOfAnyKey(
          z.union([ResolvedBrand, BrandProblem]).nullable(),
          'Keyed by each domain as it was sent',
        ),
      }),
    },
  },

  async handle({ body: { domains } }, call) {
    const files = brandFiles(call);
    const inputs = new Map(domains.map((input) => [input, normalizeDomain(input)?.domain]));
    const wanted = new Set([...inputs.values()].filter((domain) => domain !== undefined));
    const answers = new Map<string, ResolvedBrand | BrandProblem | null>();
    await eachAtOnce(wanted, AT_ONCE, async (domain) => {
      answers.set(domain, await entryOf(domain));
    });
    leaveOutManifests([...wanted].map((domain) => answers.get(domain) ?? null));
    const results = [...inputs].map(([input, domain]) => [
      input,
      domain === undefined ? noDomain(input) : answers.get(domain),
    ]);
    return { body: { results: Object.fromEntries(results) as Record<string, unknown> } };

    async function entryOf(domain: string): Promise<ResolvedBrand | BrandProblem | null> {
      try {
        const { status, body } = await askForBrand(call, files, domain);
        return status === 404 ? null : body;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
        return { error: error.message, code: error.code, domain };
      }
    }
  },
});

function noDomain(input: string): BrandProblem {
  const domain = input.slice(0, INPUT_LIMITS.domainLength);
  return { error: 'this is not a domain name', code: 'VALIDATION_ERROR', domain };
}

/** Of the last of them, in the order of the request. */
function leaveOutManifests(answers: readonly (ResolvedBrand | BrandProblem | null)[]): void {
  let left = MOST_MANIFESTS;
  for (const answer of answers) {
    if (answer === null || !('brand_manifest' in answer)) continue;
    left -= JSON.stringify(answer.brand_manifest).length;
    if (left >= 0) continue;
    delete answer.brand_manifest;
    answer.warnings = [...(answer.warnings ?? []), 'the manifest is left out here; ask for this domain alone'];
  }
}
