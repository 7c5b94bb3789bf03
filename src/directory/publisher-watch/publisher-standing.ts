import { createHash } from 'node:crypto';
import { z } from 'zod';
import { coverageOf } from '../authorization/coverage.ts';
import { claimsOf } from '../authorization/find-claims.ts';
import type { PublisherClaims } from '../authorization/find-claims.ts';
import { judgeAgents } from '../authorization/judge.ts';
import type { Judgement } from '../authorization/judge.ts';
import { validityOf } from '../authorization/live-authorizations.ts';
import { entryOf } from '../authorization/published-entry.ts';
import { findCheck } from '../scheduled-check/scheduled-check.ts';
import type { Store } from '../../platform/store/collection.ts';

/** How one agent stands with a publisher: what is published of it, and what that comes to. */
export const AgentStanding = z.object({
  agent_url: z.string(),
  /** A digest of all entries of it. */
  entries: z.string(),
  authorized: z.boolean(),
  /** Of the registry's closed list of reasons. */
  code: z.string(),
  valid_from: z.string().nullable(),
  valid_until: z.string().nullable(),
});
export type AgentStanding = z.infer<typeof AgentStanding>;

/** How a publisher stands, as far as its owner is told of it. */
export const PublisherStanding = z.object({
  /** By URL. */
  agents: z.array(AgentStanding),
  /** Its file could not be read several times in a row. */
  is_failing: z.boolean(),
});
export type PublisherStanding = z.infer<typeof PublisherStanding>;

/** Looks in a row that fail before anybody is told. */
export const FAILURES_TOLD = 3;

/** The same at an instant, and what goes with it. */
export interface StandingNow extends PublisherStanding {
  manager_domain: string | null;
  /** When the next entry begins or ends, in milliseconds; Infinity: none does. */
  nextMs: number;
  /** Of the last look; null where that went well. */
  last_error: string | null;
}

/** How a publisher stands at a time: at most 1,000 entries of its own file and as many of its manager's. */
export async function standingOf(store: Store, publisher_domain: string, atMs: number): Promise<StandingNow> {
  const check = await findCheck({ store }, 'adagents', publisher_domain);
  const publisher = await claimsOf(store, publisher_domain);
  return {
    agents: publisher === undefined ? [] : agentStandings(publisher, atMs),
    is_failing: (check?.failures ?? 0) >= FAILURES_TOLD,
    manager_domain: publisher?.publisher?.manager_domain ?? null,
    nextMs: publisher === undefined ? Infinity : nextDateOf(publisher, atMs),
    last_error: check?.last_error ?? null,
  };
}

/** Each agent that anything is published of, by URL. */
export function agentStandings(publisher: PublisherClaims, atMs: number): AgentStanding[] {
  return judgedAgents(publisher, atMs).map(({ agent_url, judgement, entries }) => ({
    ...{ agent_url, entries, authorized: judgement.authorized, code: judgement.code },
    ...(judgement.entry === undefined ? { valid_from: null, valid_until: null } : validityOf(judgement.entry)),
  }));
}

/** Each agent that has an entry for the publisher, what that comes to at a time, and a digest of what is published of it; by URL. */
export function judgedAgents(
  publisher: PublisherClaims,
  atMs: number,
): { agent_url: string; judgement: Judgement; entries: string }[] {
  const { publisher_domain, claims } = publisher;
  const ids = new Map<string, string[]>();
  for (const { row } of entriesFor(publisher))
    ids.set(row.agent_url, [...(ids.get(row.agent_url) ?? []), `${row.source} ${row.entry_id ?? row.authorized_for}`]);
  const judged = judgeAgents({ publisher_domain, atMs }, claims, [...ids.keys()]);
  return [...judged]
    .map(([agent_url, judgement]) => ({ agent_url, judgement, entries: digest(ids.get(agent_url) ?? []) }))
    .sort((a, b) => (a.agent_url < b.agent_url ? -1 : 1));
}

/** All but those that a file has for other publishers alone. */
function entriesFor({ publisher_domain, claims }: PublisherClaims) {
  return claims.flatMap((said) =>
    said.rows.flatMap((row) => {
      const entry = entryOf(row);
      const isScoped = entry.scope.kind === 'own' || entry.scope.kind === 'publishers';
      return isScoped && coverageOf(entry.scope, { publisher_domain }, said) === 'none' ? [] : { row, entry };
    }),
  );
}

function nextDateOf(publisher: PublisherClaims, atMs: number): number {
  const dates = entriesFor(publisher).flatMap(({ entry }) => [entry.fromMs, entry.untilMs, entry.revokedMs]);
  return Math.min(Infinity, ...dates.filter((ms) => ms > atMs));
}

function digest(ids: readonly string[]): string {
  return createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex')
    .slice(0, 32);
}

/** What is kept of it. */
export function keptStanding({ agents, is_failing }: StandingNow): PublisherStanding {
  return { agents, is_failing };
}
