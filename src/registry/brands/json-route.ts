import { z } from 'zod';
import { recordOfAnyKey } from '../../platform/record-of-any-key.ts';
import { endpoint } from '../endpoint.ts';
import { problemOf } from './ask-for-brand.ts';
import { BRAND_VARIANTS, variantOf } from './brand-json.ts';
import { brandFiles } from './look.ts';
import { BrandQuery, noBrand } from './schema.ts';

/** Rules R16.public, R16.brands. */
export const getBrandJson = endpoint({
  id: 'getBrandJson',
  method: 'get',
  path: '/api/brands/brand-json',
  tag: 'Brands',
  summary: "Read a domain's brand.json as it is published, and which of the five forms it has",
  description:
    'The file at the domain itself, though it may send elsewhere: `source_url` is where it leads by authoritative_location.',
  access: 'public',
  effect: 'read',
  limit: 'resolve_brand',
  query: BrandQuery,
  responses: {
    200: {
      description: 'The file',
      schema: z.object({
        domain: z.string(),
        url: z.string().describe('The URL that answered'),
        variant: z.enum(BRAND_VARIANTS),
        data: recordOfAnyKey(z.unknown(), 'As it is published'),
        source_url: z.string().describe('The URL of the file that counts'),
        seen_at: z.string(),
        fresh_until: z.string(),
        is_stale: z.boolean().describe('It could not be read again, and is what was read before'),
      }),
    },
    ...noBrand,
  },

  async handle({ query: { domain, fresh } }, call) {
    const file = await brandFiles(call, { isFresh: fresh === 'true' })(domain);
    if (file.kind !== 'read') return problemOf(domain, file, file.looked_at);
    const { row, chain } = file;
    const [own] = chain;
    const data = own?.value ?? {};
    return {
      body: {
        ...{ domain, url: own?.url, variant: variantOf(data), data, source_url: chain.at(-1)?.url },
        ...{ seen_at: row.file?.seen_at ?? row.looked_at, fresh_until: row.due_at, is_stale: row.outcome === 'failed' },
      },
    };
  },
});
