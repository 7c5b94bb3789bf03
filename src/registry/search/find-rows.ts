import { agents } from '../../directory/agent/agent.ts';
import type { Agent, AgentVisibility } from '../../directory/agent/agent.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { findEntries } from '../../directory/search/find-entries.ts';
import type { WantedTerms } from '../../directory/search/find-entries.ts';
import type { Store } from '../../platform/store/collection.ts';

interface Paging {
  cursor?: string | undefined;
  limit: number;
}

/** Agents that fit, of some visibilities: by the agent's own row, whatever it was when it was last looked at. */
export function findAgents(store: Store, shown: readonly AgentVisibility[], asked: WantedTerms, paging: Paging) {
  const lists = shown.filter((one) => one !== 'private').map((one) => `agent.${one}` as const);
  return findEntries<Agent>(store, lists, asked, paging, async (list, ids) => {
    const rows = await store.collection(agents).getMany(ids, { skipUnreadable: true });
    return inOrder(ids, rows, (row) => row.agent_id).filter(({ visibility }) => `agent.${visibility}` === list);
  });
}

/** Publishers' rows in memory at once: each may hold megabytes. */
const AT_ONCE = 20;

/** Publishers that fit, each as `view` makes of its row. */
export function findPublishers<T>(
  store: Store,
  asked: WantedTerms,
  paging: Paging,
  view: (row: RegistryPublisher) => T,
) {
  return findEntries<T>(store, ['publisher'], asked, paging, async (_, domains) => {
    const views: T[] = [];
    for (let i = 0; i < domains.length; i += AT_ONCE) {
      const some = domains.slice(i, i + AT_ONCE);
      const rows = await store.collection(publishers).getMany(some, { skipUnreadable: true });
      views.push(...inOrder(some, rows, (row) => row.publisher_domain).map(view));
    }
    return views;
  });
}

function inOrder<R>(keys: readonly string[], rows: readonly R[], keyOf: (row: R) => string): R[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return keys.flatMap((key) => byKey.get(key) ?? []);
}
