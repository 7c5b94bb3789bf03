import { z } from 'zod';
import { brandsNamed, countBrands, listedBrands } from '../../directory/brand/read-brands.ts';
import { KellerType, RelationshipTrust } from '../../directory/brand/registry-brand.ts';
import type { RegistryBrand } from '../../directory/brand/registry-brand.ts';
import { domainListQuery } from '../domain-list-query.ts';
import { endpoint } from '../endpoint.ts';
import { wholeNumberParam } from '../whole-number-param.ts';

const MOST_COUNTED = 10_000;

const Listed = z.object({
  domain: z.string(),
  brand_name: z.string().optional().describe('Absent: nobody has asked whose it is since its file changed'),
  source: z.literal('brand_json'),
  has_manifest: z.boolean(),
  verified: z.boolean().describe('It stands for itself, or both sides say that it belongs to its house'),
  house_domain: z.string().optional(),
  keller_type: KellerType.optional(),
  relationship_trust: RelationshipTrust.optional(),
  seen_at: z.string(),
});

/** Rules R16.public, R16.pages, R16.brands. */
export const listBrands = endpoint({
  id: 'listBrands',
  method: 'get',
  path: '/api/brands/registry',
  tag: 'Brands',
  summary: 'List the domains whose brand.json the registry has read, by name',
  description:
    'Those that somebody asked for within 90 days. Page by `after`, with the `next_after` of the answer before; `offset` ends at 1,000.',
  access: 'public',
  effect: 'read',
  limit: 'list_brands',
  query: domainListQuery('; by names ask /api/brands/find'),
  responses: {
    200: {
      description: 'A page, by domain',
      schema: z.object({
        brands: z.array(Listed),
        stats: z.object({
          total: z.int().describe('That begin so; 10,000 stands for that many or more'),
          brand_json: z.int().describe('All of them: brands are from their own files here'),
          community: z.literal(0),
          enriched: z.literal(0),
          has_more: z.boolean(),
          next_after: z.string().nullable().describe('Send it as `after` for the next page; null on the last'),
        }),
      }),
    },
  },

  async handle({ query: { search = '', limit = 50, offset = 0, after = '' } }, { store }) {
    const [rows, total] = await Promise.all([
      listedBrands(store, { search, after, offset, limit: limit + 1 }),
      countBrands(store, search, MOST_COUNTED),
    ]);
    const page = rows.slice(0, limit);
    const has_more = rows.length > limit;
    const next_after = has_more ? (page.at(-1)?.domain ?? null) : null;
    const stats = { total, brand_json: total, community: 0, enriched: 0, has_more, next_after };
    return { body: { brands: page.map(listed), stats } };
  },
});

function listed({ domain, identity, file, looked_at }: RegistryBrand): z.infer<typeof Listed> {
  const { brand_name, house_domain, keller_type, relationship_trust, has_manifest = false } = identity ?? {};
  return {
    ...{ domain, source: 'brand_json', has_manifest, seen_at: file?.seen_at ?? looked_at },
    verified: relationship_trust === 'inline' || relationship_trust === 'mutual' || relationship_trust === 'standalone',
    ...{ brand_name, house_domain, keller_type, relationship_trust },
  };
}

/** Rules R16.public, R16.brands. */
export const findBrand = endpoint({
  id: 'findBrand',
  method: 'get',
  path: '/api/brands/find',
  tag: 'Brands',
  summary: 'Find brands by a name, from its beginning or a later word on, or by their domain',
  description: 'Among those whose brand.json the registry has read. Case and width of letters do not matter.',
  access: 'public',
  effect: 'read',
  limit: 'list_brands',
  query: z.strictObject({
    q: z
      .string()
      .max(300)
      .refine((text) => text.trim().length > 1, 'send two characters or more')
      .describe('What the name or the domain begins with'),
    limit: wholeNumberParam(1, 50).optional().describe('Default 10'),
  }),
  responses: {
    200: {
      description: 'What is found, those by name first',
      schema: z.object({
        results: z.array(
          z.object({
            domain: z.string(),
            canonical_domain: z.string(),
            brand_name: z.string(),
            house_domain: z.string().optional(),
            parent_brand: z.string().optional(),
            keller_type: KellerType.optional(),
            brand_agent_url: z.string().optional(),
            source: z.literal('brand_json'),
            relationship_trust: RelationshipTrust,
            seen_at: z.string(),
          }),
        ),
      }),
    },
  },

  async handle({ query: { q, limit = 10 } }, { store }) {
    const rows = await brandsNamed(store, q, limit);
    const results = rows.flatMap(({ domain, identity, file, looked_at }) => {
      if (identity === null) return [];
      const { names: _, has_manifest: __, ...shown } = identity;
      return [{ domain, ...shown, source: 'brand_json', seen_at: file?.seen_at ?? looked_at }];
    });
    return { body: { results } };
  },
});
