import { z } from 'zod';
import { registryBrands } from '../../directory/brand/registry-brand.ts';
import type { BrandRevision } from '../../directory/brand/registry-brand.ts';
import { DomainParam } from '../domain-query.ts';
import { endpoint } from '../endpoint.ts';
import { wholeNumberParam } from '../whole-number-param.ts';
import { problemOf } from './ask-for-brand.ts';
import { brandFiles } from './look.ts';
import { noBrand } from './schema.ts';

const Revision = z.object({
  revision_number: z.int(),
  editor_name: z.string(),
  edit_summary: z.string(),
  source: z.literal('brand_json'),
  is_rollback: z.boolean().describe('False: brands change by their files, and nothing is taken back here'),
  created_at: z.string().describe('When it was first seen so'),
  source_url: z.string().nullable().describe('The URL that answered; null where the file was gone'),
  file_status: z.int().nullable().describe('The HTTP status at the well-known address'),
});

/** Rules R16.public, R16.brands. */
export const brandHistory = endpoint({
  id: 'getBrandHistory',
  method: 'get',
  path: '/api/brands/history',
  tag: 'Brands',
  summary: "Read what changed of a domain's brand.json, newest first, as far as the registry saw it",
  description: 'The newest 20 changes. A domain that nobody has asked for yet is looked at now.',
  access: 'public',
  effect: 'read',
  limit: 'resolve_brand',
  query: z.strictObject({
    domain: DomainParam,
    limit: wholeNumberParam(1, 100).optional().describe('Revisions at most; default 20'),
    offset: wholeNumberParam(0, 100).optional().describe('So many of the newest are left out'),
  }),
  responses: {
    200: {
      description: 'Revisions, newest first',
      schema: z.object({
        domain: z.string(),
        total: z.int().describe('That are kept'),
        revisions: z.array(Revision),
      }),
    },
    ...noBrand,
  },

  async handle({ query: { domain, limit = 20, offset = 0 } }, call) {
    const rows = call.store.collection(registryBrands);
    const revisions = (await rows.get(domain))?.revisions ?? [];
    const all = revisions.length > 0 ? revisions : await firstLook();
    if (!Array.isArray(all)) return all;
    const shown = all.toReversed().slice(offset, offset + limit);
    return { body: { domain, total: all.length, revisions: shown.map(revisionView) } };

    async function firstLook() {
      const file = await brandFiles(call)(domain);
      return file.kind === 'read' ? file.row.revisions : problemOf(domain, file, file.looked_at);
    }
  },
});

function revisionView({ number, at, summary, source_url, file_status }: BrandRevision): z.infer<typeof Revision> {
  return {
    ...{ revision_number: number, editor_name: "the domain's brand.json", edit_summary: summary },
    ...{ source: 'brand_json', is_rollback: false, created_at: at, source_url, file_status },
  };
}
