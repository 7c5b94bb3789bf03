import { z } from 'zod';
import { AgentType } from '../../directory/agent/agent.ts';
import type { Agent } from '../../directory/agent/agent.ts';
import { liveOfAgents } from '../../directory/authorization/live-authorizations.ts';
import { propertiesCount } from '../../directory/publisher/property-list.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';
import { listedFor, visiblePage } from '../browse/visible-page.ts';
import { endpoint } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';
import { wholeNumberParam } from '../whole-number-param.ts';

const Names = z.array(z.string());

/** Agents with what the registry knows of their inventory, under the path of the public registry (rules R15.browse, R16.public). */
export const searchAgents = endpoint({
  id: 'searchAgents',
  method: 'get',
  path: '/api/registry/agents/search',
  tag: 'Registry',
  summary: 'Page through agents, with what publishers let them sell',
  description:
    'The agents of /api/registry/agents, in the shape that the public client starts from. Members of a profile that nobody tells this registry are empty, and a filter by them is refused.',
  access: 'optional',
  effect: 'read',
  limit: 'search_agents',
  query: z.strictObject({
    type: AgentType.optional(),
    limit: wholeNumberParam(1, 200).optional().describe('Default 50'),
    cursor: PageQuery.shape.cursor.describe('Where the page before ended'),
  }),
  responses: {
    200: {
      description: 'A page, by URL',
      schema: z.object({
        results: z.array(
          z.object({
            ...{ url: z.string(), name: z.string(), type: AgentType },
            inventory_profile: z.object({
              ...{ channels: Names, property_types: Names, markets: Names, categories: Names, tags: Names },
              delivery_types: Names,
              category_taxonomy: z.string().nullable(),
              ...{ property_count: z.int().min(0), publisher_count: z.int().min(0), has_tmp: z.boolean() },
            }),
            match: z.object({ score: z.number(), matched_filters: Names }),
          }),
        ),
        cursor: z.string().nullable(),
        has_more: z.boolean(),
      }),
    },
  },

  async handle({ query: { type, limit = 50, cursor } }, { store, clock, caller }) {
    const page = await visiblePage(store, await listedFor(store, caller), { type, cursor, limit });
    return {
      body: {
        results: await withProfiles(store, page.rows, clock.now(), type === undefined ? [] : ['type']),
        ...{ cursor: page.cursor, has_more: page.cursor !== null },
      },
    };
  },
});

async function withProfiles(store: Store, shown: readonly Agent[], nowMs: number, matched_filters: string[]) {
  const urls = shown.map(({ url }) => url);
  const live = urls.length === 0 ? [] : await liveOfAgents(store, urls, nowMs);
  const inventory = new Map<string, { types: string[]; tags: string[]; count: number }>();
  const domains = [...new Set(live.map((one) => one.publisher_domain))];
  for (let i = 0; i < domains.length; i += 20)
    for (const row of await store.collection(publishers).getMany(domains.slice(i, i + 20))) {
      const { publisher_domain, properties } = row;
      inventory.set(publisher_domain, {
        types: [...new Set(properties.map((one) => one.property_type))],
        tags: [...new Set(properties.flatMap((one) => one.tags))].slice(0, 100),
        count: propertiesCount(row),
      });
    }
  return shown.map(({ url, name, type }) => {
    const theirs = live.filter((one) => one.agent_url === url);
    const known = theirs.flatMap((one) => inventory.get(one.publisher_domain) ?? []);
    return {
      ...{ url, name, type },
      inventory_profile: {
        ...{ channels: [], markets: [], categories: [], delivery_types: [], category_taxonomy: null, has_tmp: false },
        property_types: [...new Set(known.flatMap(({ types }) => types))].sort(),
        tags: [...new Set(known.flatMap(({ tags }) => tags))].sort().slice(0, 100),
        property_count: known.reduce((sum, { count }) => sum + count, 0),
        publisher_count: theirs.length,
      },
      match: { score: 1, matched_filters },
    };
  });
}
