import type { PublisherEventName } from './publisher-watch.ts';
import type { AgentStanding, PublisherStanding, StandingNow } from './publisher-standing.ts';

/** One thing to be told: what happened, to which agents. */
export interface PublisherNews {
  event: PublisherEventName;
  result: Record<string, unknown>;
}

/** Agents that one event names at most; `count` says how many there are. */
const MAX_NAMED = 100;
/** In characters, of all their URLs. */
const MAX_LENGTH = 100_000;

/** What is to be told between two looks, at most one of each kind. Pure. */
export function newsBetween(publisher_domain: string, told: PublisherStanding, now: StandingNow): PublisherNews[] {
  const before = new Map(told.agents.map((agent) => [agent.agent_url, agent]));
  const after = new Set(now.agents.map(({ agent_url }) => agent_url));
  const of = new Map<PublisherEventName, object[]>();
  const note = (event: PublisherEventName, agent: object) => {
    const agents = of.get(event);
    if (agents === undefined) of.set(event, [agent]);
    else agents.push(agent);
  };
  for (const agent of now.agents) {
    const former = before.get(agent.agent_url);
    const event = former === undefined ? 'authorization.added' : changeOf(former, agent);
    if (event !== undefined) note(event, viewOf(agent));
  }
  for (const agent of told.agents)
    if (!after.has(agent.agent_url))
      note('authorization.removed', { ...viewOf(agent), authorized: false, code: 'agent_not_listed' });
  const news: PublisherNews[] = [...of].map(([event, agents]) => ({
    event,
    result: { event, publisher_domain, count: agents.length, authorizations: bounded(agents) },
  }));
  if (told.is_failing === now.is_failing) return news;
  const event = now.is_failing ? 'crawl.failing' : 'crawl.recovered';
  return [...news, { event, result: { event, publisher_domain, last_error: now.last_error } }];
}

/** Another entry is a change; the same one that now lets the agent sell, or no longer does, begins or ends. */
function changeOf(before: AgentStanding, after: AgentStanding): PublisherEventName | undefined {
  if (before.entries !== after.entries) return 'authorization.changed';
  if (before.authorized !== after.authorized) return after.authorized ? 'authorization.began' : 'authorization.ended';
  return before.code === after.code ? undefined : 'authorization.changed';
}

function viewOf({ agent_url, authorized, code, valid_from, valid_until }: AgentStanding) {
  return { agent_url, authorized, code, valid_from, valid_until };
}

function bounded(agents: readonly object[]): object[] {
  let left = MAX_LENGTH;
  return agents.slice(0, MAX_NAMED).filter((agent) => (left -= JSON.stringify(agent).length) >= 0);
}
