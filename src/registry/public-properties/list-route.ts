import { z } from 'zod';
import { propertiesCount } from '../../directory/publisher/property-list.ts';
import { eachWithClaims, liveOfPublisher } from '../../directory/authorization/live-authorizations.ts';
import { publishers, seenAt } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';
import { prefixRange } from '../../platform/store/prefix-range.ts';
import { domainListQuery } from '../domain-list-query.ts';
import { endpoint } from '../endpoint.ts';
import { PublicSource, publicSource } from './shape.ts';

/** Rows may be large, so they are read a few at a time. */
const AT_ONCE = 25;

/** Domains that the registry knows, by name, under the path of the public registry (rules R16.public, R16.pages). */
export const listPublicProperties = endpoint({
  id: 'listProperties',
  method: 'get',
  path: '/api/properties/registry',
  tag: 'Properties',
  summary: 'List the publisher domains that the registry knows, by name',
  description:
    'Page by `after`, with the `next_after` of the answer before: that costs the same at any place. `offset` is for clients that have nothing else, and ends at 1,000.',
  access: 'public',
  effect: 'read',
  limit: 'list_properties',
  query: domainListQuery(),
  responses: {
    200: {
      description: 'A page, by domain',
      schema: z.object({
        properties: z.array(
          z.object({
            domain: z.string(),
            source: PublicSource,
            property_count: z.int().min(0),
            agent_count: z.int().min(0).describe('Agents that may sell some of it now'),
            verified: z.boolean(),
            seen_at: z.string().describe('When what is told was last read from its file, or else last changed here'),
          }),
        ),
        stats: z.object({
          returned: z.int().min(0),
          has_more: z.boolean(),
          next_after: z.string().nullable().describe('Send it as `after` for the next page; null on the last'),
        }),
      }),
    },
  },

  async handle({ query: { search = '', limit = 50, offset = 0, after = '' } }, { store, clock }) {
    const rows = await knownFrom(store, { search, after, count: offset + limit + 1, from: offset });
    const page = rows.slice(0, limit);
    const counts = new Map<string, number>();
    const domains = page.map(({ publisher_domain }) => publisher_domain);
    for await (const one of eachWithClaims(store, domains))
      counts.set(one.publisher_domain, liveOfPublisher(one, clock.now()).length);
    const has_more = rows.length > limit;
    return {
      body: {
        properties: page.map(({ publisher_domain: domain, source, property_count, ...rest }) => ({
          ...{ domain, source: publicSource(source), property_count, agent_count: counts.get(domain) ?? 0, ...rest },
        })),
        stats: { returned: page.length, has_more, next_after: has_more ? (domains.at(-1) ?? null) : null },
      },
    };
  },
});

type Listed = Pick<RegistryPublisher, 'publisher_domain' | 'source' | 'verified'> & {
  property_count: number;
  seen_at: string;
};

function listed(row: RegistryPublisher): Listed {
  const { publisher_domain, source, verified } = row;
  return { publisher_domain, source, verified, property_count: propertiesCount(row), seen_at: seenAt(row) };
}

/** Of the first `count` domains that begin so, those from a place on. Of each only what is shown is kept. */
async function knownFrom(
  store: Store,
  { search, after, count, from }: { search: string; after: string; count: number; from: number },
): Promise<Listed[]> {
  const found: Listed[] = [];
  let seen = 0;
  let place = after;
  while (seen < count) {
    const { rows } = await store.collection(publishers).find({
      where: { publisher_domain: prefixRange(search, place) },
      sort: { field: 'publisher_domain', direction: 'asc' },
      limit: Math.min(AT_ONCE, count - seen),
    });
    for (const row of rows) if (seen++ >= from) found.push(listed(row));
    if (rows.length === 0) break;
    place = rows.at(-1)?.publisher_domain ?? place;
  }
  return found;
}
