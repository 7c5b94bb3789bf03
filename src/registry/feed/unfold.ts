import { judgeAgents } from '../../directory/authorization/judge.ts';
import type { PublisherClaims } from '../../directory/authorization/find-claims.ts';
import { eachWithClaims, validityOf } from '../../directory/authorization/live-authorizations.ts';
import type { Authorization } from '../../directory/authorization/authorization.ts';
import { entryOf } from '../../directory/authorization/published-entry.ts';
import type { FeedEvent } from '../../directory/feed/feed-event.ts';
import { authorizationSubject } from '../../directory/feed/public-state.ts';
import { subjectName } from '../../directory/feed/feed-event.ts';
import type { PublisherChange } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';

/** Events whose publishers' entries are in memory at once. */
const AT_ONCE = 20;

/** Of the states of one page, in characters: an entry may be long, and a publisher has many. */
const MOST_LENGTH = 2_000_000;

/**
 * What a page's events mean for who keeps authorizations one by one, as clients of the public protocol do. A crawl is told as one event of
 * its publisher, and is followed here by one for each agent that may sell for it now, and one for each that it took away. What
 * is told of an authorization is how it is judged now, so that whoever reads on has the present state.
 * @returns as many of the events as come to about `most` with what follows them, and at least one: a publisher may have a thousand agents.
 */
export async function unfoldAuthorizations(
  store: Store,
  events: readonly FeedEvent[],
  { atMs, most }: { atMs: number; most: number },
): Promise<{ taken: number; unfolded: FeedEvent[] }> {
  const unfolded: FeedEvent[] = [];
  const toldOf = new Set<string>();
  let length = 0;
  for (let i = 0; i < events.length; i += AT_ONCE) {
    const some = events.slice(i, i + AT_ONCE);
    const claims = await claimsOf(store, some);
    for (const [j, event] of some.entries()) {
      const domain = event.publisher_domain ?? undefined;
      const told = domain === undefined ? undefined : now(event, domain, claims.get(domain), atMs, toldOf);
      // What is told of a publisher is told before and after by the event itself, whose place in the feed is theirs.
      if (event.kind !== 'authorization') unfolded.push(event);
      unfolded.push(...(told ?? []));
      for (const each of told ?? []) length += each.state_json?.length ?? 0;
      if (unfolded.length >= most || length >= MOST_LENGTH) return { taken: i + j + 1, unfolded };
    }
    await new Promise(setImmediate);
  }
  return { taken: events.length, unfolded };
}

async function claimsOf(store: Store, events: readonly FeedEvent[]): Promise<Map<string, PublisherClaims>> {
  const tells = ({ kind }: FeedEvent) => kind === 'publisher' || kind === 'authorization';
  const domains = new Set(events.filter(tells).flatMap((event) => event.publisher_domain ?? []));
  const found = new Map<string, PublisherClaims>();
  for await (const one of eachWithClaims(store, [...domains])) found.set(one.publisher_domain, one);
  return found;
}

/** What one event is followed by. `toldOf` holds the publishers whose agents have all been told on this page. */
function now(
  event: FeedEvent,
  domain: string,
  one: PublisherClaims | undefined,
  atMs: number,
  toldOf: Set<string>,
): FeedEvent[] {
  if (event.kind !== 'publisher' && event.kind !== 'authorization') return [];
  const touched = agentsTouchedBy(event);
  const isFirst = event.kind === 'publisher' && !toldOf.has(domain);
  if (isFirst) toldOf.add(domain);
  const all = isFirst ? (one?.claims ?? []).flatMap(({ rows }) => rows.map((row) => row.agent_url)) : [];
  const agents = [...new Set([...touched, ...all])].sort();
  const judged = judgeAgents({ publisher_domain: domain, atMs }, one?.claims ?? [], agents);
  const told: FeedEvent[] = [];
  const tell = (agent_url: string, row: Authorization | undefined) => {
    const n = told.length + 1;
    told.push(about(event, { domain, agent_url, n }, row));
  };
  for (const agent_url of agents) {
    const live = judged.get(agent_url)?.live ?? [];
    // A client keeps the first that it was told of a pair and type: what has changed is taken back first. So is what no longer
    // lets anybody in though its entry is the same: another has all of it alone, or the property it names is gone.
    if (touched.has(agent_url) || live.length === 0) tell(agent_url, undefined);
    for (const row of live) tell(agent_url, row);
  }
  return told;
}

function agentsTouchedBy(event: FeedEvent): Set<string> {
  if (event.kind === 'authorization') {
    const [, agent_url] = JSON.parse(event.subject.slice('authorization/'.length)) as [string, string];
    return new Set([agent_url]);
  }
  const { last_change } = JSON.parse(event.state_json ?? '{}') as { last_change?: PublisherChange };
  const { removed, changed } = last_change?.agents ?? {};
  return new Set([...(removed?.names ?? []), ...(changed?.names ?? [])]);
}

/** Whether an event took back or changed more agents than it names: who holds them one by one has to begin anew. */
export function namesNotAll(event: FeedEvent): boolean {
  if (event.kind !== 'publisher') return false;
  const { last_change } = JSON.parse(event.state_json ?? '{}') as { last_change?: PublisherChange };
  const { removed, changed } = last_change?.agents ?? {};
  return [removed, changed].some((one) => one !== undefined && one.count > one.names.length);
}

/** An event of the pair, at the place of the one that it follows. */
function about(
  event: FeedEvent,
  { domain, agent_url, n }: { domain: string; agent_url: string; n: number },
  row: Authorization | undefined,
): FeedEvent {
  const change = row === undefined ? 'removed' : 'added';
  return {
    ...event,
    event_id: `${event.sequence}.${n}`,
    ...{ kind: 'authorization', change, type: `authorization.${change}`, publisher_domain: domain },
    subject: subjectName(authorizationSubject(domain, agent_url)),
    state_json: row === undefined ? null : JSON.stringify(stateOf(row, domain)),
  };
}

function stateOf(row: Authorization, publisher_domain: string): Record<string, unknown> {
  const { agent_url, authorized_for, source, entry_id = null } = row;
  const entry = entryOf(row);
  const { valid_from, valid_until } = validityOf(entry);
  const { selection } = entry.scope.kind === 'own' ? entry.scope : {};
  return {
    ...{ agent_url, publisher_domain, authorization_type: entry.authorization_type ?? 'all' },
    ...(selection?.by === 'id' && { property_ids: [...selection.ids] }),
    ...(valid_from !== null && { effective_from: valid_from }),
    ...(valid_until !== null && { effective_to: valid_until }),
    ...{ authorized_for, source, entry_id },
  };
}
