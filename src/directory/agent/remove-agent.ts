import type { Store } from '../../platform/store/collection.ts';
import { badgeSubjectsOf, endChecks, retireBadges } from '../badge/retire-badges.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedSubject } from '../feed/feed-event.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { dropEntry } from '../search/keep-entry.ts';
import { agents } from './agent.ts';
import type { Agent } from './agent.ts';

/** Deletes an agent, revokes its badges and ends its checks (rule R9). Safe to repeat. */
export async function removeAgent(deps: FeedDeps, agent: Agent): Promise<void> {
  const areRetired = await retireBadges(deps, agent.url);
  await announcing(deps, await subjectsOfAgent(deps.store, agent), () =>
    deps.store.collection(agents).delete(agent.agent_id),
  );
  await dropEntry(deps.store, agent.agent_id);
  // Else a worker goes on until they are.
  if (areRetired) await endChecks(deps, agent.url);
}

/** What of the feed a change of an agent may change: its badges are told only while it is public. */
export async function subjectsOfAgent(store: Store, { agent_id, url }: Agent): Promise<FeedSubject[]> {
  return [{ kind: 'agent', key: agent_id }, ...(await badgeSubjectsOf(store, url))];
}
