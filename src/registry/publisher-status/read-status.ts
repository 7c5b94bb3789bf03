import { claimsOf } from '../../directory/authorization/find-claims.ts';
import { REASONS } from '../../directory/authorization/judge.ts';
import type { Judgement } from '../../directory/authorization/judge.ts';
import { validityOf } from '../../directory/authorization/live-authorizations.ts';
import { judgedAgents } from '../../directory/publisher-watch/publisher-standing.ts';
import { allPropertiesOf } from '../../directory/publisher/property-list.ts';
import { findCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { PublisherStatus } from './schema.ts';

/** Of a publisher, agents and properties that are named; the counts say how many there are. */
export const MOST_AGENTS = 200;
export const MOST_PROPERTIES = 100;

/** What the registry knows of a publisher now, which is public; undefined where that is nothing. */
export async function readStatus(
  store: Store,
  publisher_domain: string,
  nowMs: number,
): Promise<Omit<PublisherStatus, 'owner'> | undefined> {
  const check = await findCheck({ store }, 'adagents', publisher_domain);
  const claims = await claimsOf(store, publisher_domain);
  if (check === undefined && claims === undefined) return undefined;
  const row = claims?.publisher;
  const agents = claims === undefined ? [] : judgedAgents(claims, nowMs);
  const properties = row === undefined ? [] : await allPropertiesOf(store, row);
  const isDown = check !== undefined && check.last_error !== null;
  return {
    ...{ publisher_domain, source: row?.source ?? null, verified: row?.verified ?? false },
    ...{ source_url: row?.crawl?.source_url ?? null, authoritative_location: row?.crawl?.location ?? null },
    manager_domain: row?.manager_domain ?? null,
    file_last_updated: row?.crawl?.last_updated ?? null,
    crawl: {
      last_crawl_at: check?.last_tried_at ?? row?.crawl?.started_at ?? null,
      last_success_at: check?.last_ok_at ?? null,
      next_crawl_at: check?.due_at ?? null,
      last_error: check?.last_error ?? null,
      failures: isDown ? (check.failures ?? 1) : 0,
      failing_since: isDown ? (check.failing_since ?? null) : null,
      no_file_since: check?.absent_since ?? null,
    },
    problems: row?.crawl?.problems ?? [],
    properties_count: properties.length,
    properties: properties.slice(0, MOST_PROPERTIES).map((property) => ({
      ...{ property_id: property.property_id ?? null, property_type: property.property_type, name: property.name },
      ...{ identifiers: property.identifiers.slice(0, 20), tags: property.tags.slice(0, 20) },
    })),
    sellers: `/api/registry/publishers/${publisher_domain}/sellers`,
    agents_count: agents.length,
    authorized_count: agents.filter(({ judgement }) => judgement.authorized).length,
    // Those who may sell first.
    agents: [...agents]
      .sort((a, b) => Number(b.judgement.authorized) - Number(a.judgement.authorized))
      .slice(0, MOST_AGENTS)
      .map(({ agent_url, judgement }) => agentView(agent_url, judgement)),
  };
}

function agentView(agent_url: string, { authorized, code, limited_by, row, entry }: Judgement) {
  return {
    ...{ agent_url, authorized, code, reason: REASONS[code], limited_by: [...limited_by] },
    ...(entry === undefined ? { valid_from: null, valid_until: null } : validityOf(entry)),
    ...{ authorized_for: row?.authorized_for ?? '', source: row?.source ?? null, entry_id: row?.entry_id ?? null },
    ...{ source_url: row?.source_url ?? null, seen_at: row?.seen_at ?? null },
  };
}
