import { agents, AgentType } from '../../directory/agent/agent.ts';
import { propertiesCount } from '../../directory/publisher/property-list.ts';
import { publishers, PublisherSource, seenAt } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';
import { endpoint } from '../endpoint.ts';
import { COUNTED_TO, PublisherList, PublishersQuery, RegistryStats } from './schema.ts';

/** Publishers' rows in memory at once: each may hold 4 MB of properties. */
const AT_ONCE = 20;

/** Rule R15.browse. */
export const listPublishers = endpoint({
  id: 'listPublishers',
  method: 'get',
  path: '/api/registry/publishers',
  tag: 'Registry',
  summary: 'Browse the publishers that the registry knows',
  description:
    'By domain, in pages: a client that knows no pages gets the first 50, with `count`, and `cursor` to go on. `count` and `sources` are of all publishers, or of those from `source`.',
  access: 'public',
  effect: 'read',
  limit: 'browse',
  query: PublishersQuery,
  responses: { 200: { description: 'A page of publishers', schema: PublisherList } },

  async handle({ query: { source, cursor, limit = 50 } }, { store }) {
    const where = source === undefined ? { publisher_domain: { gt: '' } } : { source };
    const listed: ReturnType<typeof publisherView>[] = [];
    let after = cursor;
    do {
      const most = Math.min(AT_ONCE, limit - listed.length);
      const page = await store
        .collection(publishers)
        .find({ where, limit: most, ...(after !== undefined && { after }) });
      listed.push(...page.rows.map(publisherView));
      after = page.cursor;
    } while (after !== undefined && listed.length < limit);
    const bySource = await countPublishers(store);
    const counted = PublisherSource.options.filter((one) => source === undefined || one === source);
    const sumOf = (isHosted: boolean) =>
      counted.filter((one) => (one === 'hosted') === isHosted).reduce((sum, one) => sum + bySource[one], 0);
    const [registered, discovered] = [sumOf(true), sumOf(false)].map((n) => Math.min(COUNTED_TO, n));
    const count = Math.min(COUNTED_TO, sumOf(true) + sumOf(false));
    return {
      body: {
        ...{ publishers: listed, count, sources: { registered, discovered } },
        ...{ cursor: after ?? null, has_more: after !== undefined },
      },
    };
  },
});

/** Rule R15.browse. */
export const getRegistryStats = endpoint({
  id: 'getRegistryStats',
  method: 'get',
  path: '/api/registry/stats',
  tag: 'Registry',
  summary: 'How many agents and publishers are on record, by kind',
  access: 'public',
  effect: 'read',
  limit: 'browse',
  responses: { 200: { description: 'Numbers, each counted no further than 10,000', schema: RegistryStats } },

  async handle(_input, { store }) {
    const rows = store.collection(agents);
    const countOf = async (type: AgentType) =>
      [type, await rows.count({ visibility: 'public', type }, { most: COUNTED_TO })] as const;
    const [total, byType, bySource] = await Promise.all([
      rows.count({ visibility: 'public' }, { most: COUNTED_TO }),
      Promise.all(AgentType.options.map(countOf)),
      countPublishers(store),
    ]);
    const publishersTotal = Object.values(bySource).reduce((sum, n) => sum + n, 0);
    return {
      body: {
        agents: { total, by_type: Object.fromEntries(byType) },
        publishers: { total: Math.min(COUNTED_TO, publishersTotal), by_source: bySource },
        counted_to: COUNTED_TO,
      },
    };
  },
});

async function countPublishers(store: Store): Promise<Record<PublisherSource, number>> {
  const rows = store.collection(publishers);
  const countOf = (source: PublisherSource) => rows.count({ source }, { most: COUNTED_TO });
  const [hosted, adagents_json, catalog] = await Promise.all([
    countOf('hosted'),
    countOf('adagents_json'),
    countOf('catalog'),
  ]);
  return { hosted, adagents_json, catalog };
}

/** What anybody is told of a publisher in a list. */
export function publisherView(row: RegistryPublisher) {
  const { publisher_domain, source, verified, crawl, created_at } = row;
  return {
    domain: publisher_domain,
    source: source === 'hosted' ? ('registered' as const) : ('discovered' as const),
    registry_source: source,
    has_valid_adagents: source === 'adagents_json' && verified,
    ...{ property_count: propertiesCount(row), discovered_at: created_at, seen_at: seenAt(row) },
    ...(crawl !== undefined && { last_validated: crawl.started_at }),
  };
}
