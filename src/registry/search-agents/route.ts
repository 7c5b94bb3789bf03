import { z } from 'zod';
import { AgentType } from '../../directory/agent/agent.ts';
import type { Agent } from '../../directory/agent/agent.ts';
import { authorizations } from '../../directory/authorization/authorization.ts';
import { liveOfAgentPage } from '../../directory/authorization/live-of-agents.ts';
import { firstPropertiesOf, propertiesCount } from '../../directory/publisher/property-list.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryProperty } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';
import { COUNTED_TO } from '../browse/schema.ts';
import { listedFor, visiblePage } from '../browse/visible-page.ts';
import { endpoint } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';
import { askedBy, filtersIn, SharedFilters } from '../search/filters.ts';
import { findAgents } from '../search/find-rows.ts';
import { wholeNumberParam } from '../whole-number-param.ts';

const Names = z.array(z.string());

/** Agents with what the registry knows of their inventory, under the path of the public registry (rules R15.browse, R16.public). */
export const searchAgents = endpoint({
  id: 'searchAgents',
  method: 'get',
  path: '/api/registry/agents/search',
  tag: 'Registry',
  summary: 'Find agents, with what publishers let them sell',
  description:
    'The agents of /api/registry/agents, in the shape that the public client starts from. A profile is drawn from the first 10 publishers that let the agent sell; `publisher_count` beyond them counts entries, to 10,000. All filters that are sent must hold; of several values of one, any. With one besides `type`, a page may be shorter than `limit`, even empty: go on until `cursor` is null; what has changed is found by it within seconds. Members that nobody tells this registry are empty, and a filter by them is refused.',
  access: 'optional',
  effect: 'read',
  limit: 'search_agents',
  query: z.strictObject({
    type: AgentType.optional().describe('Only agents of this role'),
    ...SharedFilters,
    domain: SharedFilters.domain.describe('The host of its URL, or a domain above that'),
    verified: SharedFilters.verified.describe('Whether a role of it was verified at its last check'),
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
              property_count: z.int().min(0).describe('Of the first 10 publishers that let the agent sell'),
              publisher_count: z
                .int()
                .min(0)
                .describe(
                  `Of publishers that let the agent sell, up to 10; where there are more, of all entries that name it, several of one publisher and those that do not count now too: it stops at ${COUNTED_TO}`,
                ),
              has_tmp: z.boolean(),
              seen_at: z
                .string()
                .nullable()
                .describe(
                  'When what those 10 publishers say of it was last read, of the one read longest ago; null: none lets it sell',
                ),
            }),
            match: z.object({ score: z.number(), matched_filters: Names }),
          }),
        ),
        cursor: z.string().nullable(),
        has_more: z.boolean(),
      }),
    },
  },

  async handle({ query: { limit = 50, cursor, ...filters } }, { store, clock, caller }) {
    const { type, ...others } = filters;
    const shown = await listedFor(store, caller);
    const asked = askedBy(others) && askedBy(filters);
    const page =
      asked === undefined
        ? await visiblePage(store, shown, { type, cursor, limit })
        : await findAgents(store, shown, asked, { cursor, limit }).then(({ found: rows, ...rest }) => ({
            rows,
            ...rest,
          }));
    return {
      body: {
        results: await withProfiles(store, page.rows, clock.now(), filtersIn(filters)),
        ...{ cursor: page.cursor, has_more: page.cursor !== null },
      },
    };
  },
});

/** Publishers of an agent that its profile is drawn from; their rows may be large. */
const MOST_PUBLISHERS = 10;

async function withProfiles(store: Store, shown: readonly Agent[], atMs: number, matched_filters: string[]) {
  const results = [];
  for (const { url, name, type, declared } of shown) {
    const { live, cursor } = await liveOfAgentPage(store, url, { limit: MOST_PUBLISHERS, atMs });
    const rows = await store.collection(publishers).getMany(live.map((one) => one.publisher_domain));
    const drawn: RegistryProperty[] = [];
    for (const row of rows) drawn.push(...(await firstPropertiesOf(store, row, MOST_DRAWN)));
    results.push({
      ...{ url, name, type },
      inventory_profile: {
        ...{ channels: declared?.channels ?? [], markets: declared?.countries ?? [] },
        ...{ categories: [], delivery_types: [], category_taxonomy: null, has_tmp: false },
        property_types: [...new Set(drawn.map((one) => one.property_type))].sort(),
        tags: [...new Set(drawn.flatMap((one) => one.tags.slice(0, 20)))].sort().slice(0, 100),
        property_count: rows.reduce((sum, row) => sum + propertiesCount(row), 0),
        publisher_count:
          cursor === null
            ? rows.length
            : await store.collection(authorizations).count({ agent_url: url }, { most: COUNTED_TO }),
        seen_at: live.map((one) => one.seen_at).sort()[0] ?? null,
      },
      match: { score: 1, matched_filters },
    });
    await new Promise(setImmediate);
  }
  return results;
}

/** Properties of one publisher that types and tags are drawn from. */
const MOST_DRAWN = 100;
