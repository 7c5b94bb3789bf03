import { allRows } from '../../platform/store/all-rows.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { ALWAYS, narrow } from '../../platform/time-span.ts';
import type { TimeSpan } from '../../platform/time-span.ts';
import type { Store } from '../../platform/store/collection.ts';
import { publishers } from '../publisher/publisher.ts';
import type { AuthorizationSource } from './authorization.ts';
import { entriesOf, entriesOfAgents, exclusiveEntriesOf, findClaims } from './find-claims.ts';
import type { PublisherClaims } from './find-claims.ts';
import { judgeAgents, timesOf } from './judge.ts';
import type { Judgement } from './judge.ts';

/** That an agent may sell for a publisher now, and what says so. */
export interface LiveAuthorization {
  publisher_domain: string;
  agent_url: string;
  authorized_for: string;
  source: AuthorizationSource;
  valid: true;
  /** For some of its inventory, somewhere, or beside somebody who has a part of it alone. */
  in_part: boolean;
  valid_from: string | null;
  valid_until: string | null;
  /** Null for what has none: hosted entries, and those read by 0.1.0. */
  entry_id: string | null;
  source_url: string | null;
  seen_at: string;
}

/** Publishers looked at in one go, with all their entries. */
const AT_ONCE = 25;
/** The same, with the entries of some agents alone. */
export const AT_ONCE_OF_AGENTS = 100;

/** Who may sell for a publisher at a time, each agent once: anything of it, or what a property's name means. */
export function liveOfPublisher(publisher: PublisherClaims, atMs: number, property?: string): LiveAuthorization[] {
  const agents = publisher.claims.flatMap(({ rows }) => rows.map((row) => row.agent_url));
  return liveOf(publisher, agents, atMs, property).sort((a, b) => (a.agent_url < b.agent_url ? -1 : 1));
}

/** Who may sell anything of a publisher, and from when until when that is so, while no row is written. */
export function liveOfPublisherWithin(
  publisher: PublisherClaims,
  atMs: number,
): { live: LiveAuthorization[]; within: TimeSpan } {
  const within = { ...ALWAYS };
  narrowBy(publisher, within, atMs);
  return { live: liveOfPublisher(publisher, atMs), within };
}

/** Each publisher of these that the registry knows something of, with all that is said for it. */
export async function* eachWithClaims(
  store: Store,
  domains: readonly string[],
): AsyncGenerator<PublisherClaims, void, undefined> {
  for (let i = 0; i < domains.length; i += AT_ONCE)
    yield* (await findClaims(store, domains.slice(i, i + AT_ONCE), (of) => entriesOf(store, of))).values();
}

/** For whom agents may sell at a time, ordered by publisher: at most 10,000 entries are looked at. */
export async function liveOfAgents(
  store: Store,
  agents: readonly string[],
  atMs: number,
): Promise<LiveAuthorization[]> {
  return (await liveOfAgentsWithin(store, agents, atMs)).live;
}

/** The same, and from when until when it is so, while no row is written: every entry that was judged begins and ends outside of that. */
export async function liveOfAgentsWithin(
  store: Store,
  agents: readonly string[],
  atMs: number,
): Promise<{ live: LiveAuthorization[]; within: TimeSpan }> {
  const within = { ...ALWAYS };
  const entries = await entriesOfAgents(store, agents);
  const named = new Set(entries.map((row) => row.publisher_domain));
  for (const domain of await managedBy(store, [...named])) named.add(domain);
  const domains = [...named].sort();
  const live: LiveAuthorization[] = [];
  for (let i = 0; i < domains.length; i += AT_ONCE_OF_AGENTS) {
    const found = await findClaims(store, domains.slice(i, i + AT_ONCE_OF_AGENTS), async (of) => {
      const wanted = new Set(of);
      const exclusive = await exclusiveEntriesOf(store, of);
      const theirs = new Set(agents);
      const own = entries.filter((row) => wanted.has(row.publisher_domain));
      return [...own, ...exclusive.filter((row) => !theirs.has(row.agent_url))];
    });
    for (const one of found.values()) {
      live.push(...liveOf(one, agents, atMs));
      narrowBy(one, within, atMs);
    }
  }
  live.sort((a, b) => (a.publisher_domain < b.publisher_domain ? -1 : 1));
  return { live, within };
}

/** Every entry that is judged begins and ends outside of the span. */
function narrowBy({ claims }: PublisherClaims, within: TimeSpan, atMs: number): void {
  for (const { rows } of claims) for (const row of rows) narrow(within, timesOf(row), atMs);
}

/** Most domains manage nobody, so that is asked first, of all of them at once. */
async function managedBy(store: Store, managers: readonly string[]): Promise<string[]> {
  const where = { manager_domain: { in: [...managers] } };
  const rows = store.collection(publishers);
  if (managers.length === 0 || (await rows.count(where, { most: 1 })) === 0) return [];
  const found: string[] = [];
  for await (const { publisher_domain } of allRows(rows, { where, limit: 500 })) {
    found.push(publisher_domain);
    if (found.length >= 10_000) break;
  }
  return found;
}

function liveOf(
  { publisher_domain, claims }: PublisherClaims,
  agents: readonly string[],
  atMs: number,
  property?: string,
): LiveAuthorization[] {
  const judged = judgeAgents({ publisher_domain, property, atMs }, claims, agents);
  return [...judged].flatMap(([agent_url, judgement]) => liveFrom({ publisher_domain, agent_url }, judgement) ?? []);
}

function liveFrom(
  pair: { publisher_domain: string; agent_url: string },
  { authorized, code, row, entry }: Judgement,
): LiveAuthorization | undefined {
  if (!authorized || row === undefined || entry === undefined) return undefined;
  const { authorized_for, source, entry_id = null, source_url, seen_at } = row;
  const { valid_from, valid_until } = validityOf(entry);
  // A look-up makes hundreds of these: without spreading, at a fifth of the price.
  return {
    publisher_domain: pair.publisher_domain,
    agent_url: pair.agent_url,
    authorized_for,
    source,
    valid: true,
    in_part: code === 'authorized_in_part',
    valid_from,
    valid_until,
    entry_id,
    source_url,
    seen_at,
  };
}

/** Since when and until when, null for always. */
export function validityOf({ fromMs, untilMs }: { fromMs: number; untilMs: number }) {
  const timeOf = (ms: number) => (Number.isFinite(ms) ? toTimestamp(ms) : null);
  return { valid_from: timeOf(fromMs), valid_until: timeOf(untilMs) };
}
