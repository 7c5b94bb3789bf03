import { z } from 'zod';
import { listedBrands } from '../../directory/brand/read-brands.ts';
import { propertiesCount } from '../../directory/publisher/property-list.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { prefixRange } from '../../platform/store/prefix-range.ts';
import { endpoint } from '../endpoint.ts';
import { askedBy } from './filters.ts';
import { findPublishers } from './find-rows.ts';
import { PublicSource, publicSource } from '../public-properties/shape.ts';

/** Found at most; rows may be large. */
const MOST = 20;

const Found = z.object({
  domain: z.string(),
  source: PublicSource,
  verified: z.boolean(),
  property_count: z.int().min(0),
});

/** Under the path of the public registry (rules R15.browse, R16.public). */
export const searchRegistry = endpoint({
  id: 'search',
  method: 'get',
  path: '/api/search',
  tag: 'Registry',
  summary: 'Find publishers by their domain or words, and brands by their domain',
  description: `At most ${MOST} of each: those whose domain begins so, and then publishers with these words; /api/registry/publishers/search has more of these, /api/properties/registry and /api/brands/registry have all of them, in pages, and /api/brands/find brands by name.`,
  access: 'public',
  effect: 'read',
  limit: 'list_properties',
  query: z.strictObject({
    q: z
      .string()
      .max(300)
      .transform((text) => text.trim().toLowerCase())
      .refine((text) => text.length > 1, 'send two characters or more')
      .describe('What the domain begins with, or words'),
  }),
  responses: {
    200: {
      description: 'What is found',
      schema: z.object({
        publishers: z.array(Found),
        properties: z.array(Found).describe('The same domains: the public registry calls them so'),
        brands: z.array(
          z.object({ domain: z.string(), brand_name: z.string().optional(), source: z.literal('brand_json') }),
        ),
      }),
    },
  },

  async handle({ query: { q } }, { store }) {
    const { rows } = await store.collection(publishers).find({
      where: { publisher_domain: prefixRange(q) },
      sort: { field: 'publisher_domain', direction: 'asc' },
      limit: MOST,
    });
    const viewOf = (row: RegistryPublisher) => ({
      ...{ domain: row.publisher_domain, source: publicSource(row.source), verified: row.verified },
      property_count: propertiesCount(row),
    });
    const found = rows.map(viewOf);
    const asked = askedBy({ q });
    if (asked !== undefined && found.length < MOST) {
      const known = new Set(found.map(({ domain }) => domain));
      const byWords = await findPublishers(store, asked, { limit: MOST }, viewOf);
      found.push(...byWords.found.filter(({ domain }) => !known.has(domain)).slice(0, MOST - found.length));
    }
    const named = await listedBrands(store, { search: q, after: '', offset: 0, limit: MOST });
    const brands = named.map(({ domain, identity }) => ({
      domain,
      brand_name: identity?.brand_name,
      source: 'brand_json',
    }));
    return { body: { publishers: found, properties: found, brands } };
  },
});
