import { agents } from '../../directory/agent/agent.ts';
import type { Agent } from '../../directory/agent/agent.ts';
import { checksOf } from '../../directory/agent-check/read-checks.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import { endpoint } from '../endpoint.ts';
import { AgentList, AgentsQuery, COUNTED_TO } from './schema.ts';
import { listedFor, visiblePage } from './visible-page.ts';

/** Rule R15.browse. */
export const listAgents = endpoint({
  id: 'listAgents',
  method: 'get',
  path: '/api/registry/agents',
  tag: 'Registry',
  summary: 'Browse the agents that organizations registered',
  description:
    'By URL, in pages: a client that knows no pages gets the first 50, with `count`, and `cursor` to go on. Anybody sees public agents; a tier with API access adds members_only ones behind them; private ones are never listed. Agents that publishers name and nobody registered are found by the publisher.',
  access: 'optional',
  effect: 'read',
  limit: 'browse',
  query: AgentsQuery,
  responses: { 200: { description: 'A page of agents', schema: AgentList } },

  async handle({ query: { type, cursor, limit = 50, health } }, { store, caller }) {
    if (health !== undefined && limit > MOST_WITH_HEALTH)
      throw new AppError('INVALID_REQUEST', `limit: with health, send at most ${MOST_WITH_HEALTH}`, { field: 'limit' });
    const shown = await listedFor(store, caller);
    const page = await visiblePage(store, shown, { type, cursor, limit });
    const rows = store.collection(agents);
    const filter = type === undefined ? {} : { type };
    const counts = await Promise.all(
      shown.map((visibility) => rows.count({ visibility, ...filter }, { most: COUNTED_TO })),
    );
    const healths = health === undefined ? [] : await Promise.all(page.rows.map((row) => lastHealth(store, row)));
    const count = Math.min(
      COUNTED_TO,
      counts.reduce((a, b) => a + b, 0),
    );
    return {
      body: {
        agents: page.rows.map((row, i) => ({
          ...{ url: row.url, name: row.name, type: row.type, source: 'registered' },
          ...{ added_date: row.created_at, updated_at: row.updated_at, health: healths[i] },
        })),
        ...{ count, sources: { registered: count, discovered: 0 } },
        ...{ cursor: page.cursor, has_more: page.cursor !== null },
      },
    };
  },
});

/** Each agent's last check is a look of its own, by an index. */
const MOST_WITH_HEALTH = 50;

async function lastHealth(store: Store, agent: Agent) {
  const last = (await checksOf(store, agent, { limit: 1 })).rows[0];
  if (last === undefined) return undefined;
  const { is_reachable: online, checked_at, reason } = last;
  return { online, checked_at, ...(reason !== null && { error: reason }) };
}
