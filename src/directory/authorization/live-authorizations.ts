import { toTimestamp } from '../../platform/clock.ts';
import { ALWAYS, narrow } from '../../platform/time-span.ts';
import type { TimeSpan } from '../../platform/time-span.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { AuthorizationSource } from './authorization.ts';
import { eachClaims, entriesOf } from './find-claims.ts';
import type { PublisherClaims } from './find-claims.ts';
import { judgeAgents, timesOf } from './judge.ts';
import type { Judgement } from './judge.ts';
import { overMs } from './published-entry.ts';
import type { PublishedEntry } from './published-entry.ts';

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
export function eachWithClaims(
  store: Store,
  domains: readonly string[],
): AsyncGenerator<PublisherClaims, void, undefined> {
  return eachClaims(store, domains, (of) => entriesOf(store, of));
}

/** Every entry that is judged begins and ends outside of the span. */
export function narrowBy({ claims }: PublisherClaims, within: TimeSpan, atMs: number): void {
  for (const { rows } of claims) for (const row of rows) narrow(within, timesOf(row), atMs);
}

/** Which of these agents may sell for a publisher at a time: anything of it, or what a property's name means. */
export function liveOf(
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

/** Since when an entry counts and until when, null for always. What is revoked without a date never did, and tells its own dates. */
export function validityOf(entry: Pick<PublishedEntry, 'fromMs' | 'untilMs' | 'revokedMs'>) {
  const { fromMs, untilMs, revokedMs } = entry;
  return { valid_from: timeOf(fromMs), valid_until: timeOf(revokedMs === -Infinity ? untilMs : overMs(entry)) };
}

/** Null for what is at no time. */
export function timeOf(ms: number): string | null {
  return Number.isFinite(ms) ? toTimestamp(ms) : null;
}
