import type { Authorization } from '../../directory/authorization/authorization.ts';
import { judgeAgents, REASONS } from '../../directory/authorization/judge.ts';
import type { Limit, VerdictCode } from '../../directory/authorization/judge.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { AdAgents } from '../crawl/adagents-file.ts';

/** What buyers will be answered of one agent, and one property or all. */
export interface Conclusion {
  agent: string;
  /** Null: any of the publisher's inventory. */
  property: string | null;
  authorized: boolean;
  code: VerdictCode;
  reason: string;
  limited_by: Limit[];
}

/** The first of each that are judged. */
const MOST_AGENTS = 50;
const MOST_PROPERTIES = 20;

/**
 * Judges a file as if it were the publisher's own, or that of `manager`, by the rule that look-ups follow (rule R15.scope). Others have
 * their turn in between.
 */
export async function conclusionsOf(
  { authorized, properties, revoked }: AdAgents,
  {
    publisher_domain,
    manager,
    country,
    atMs,
  }: { publisher_domain: string; manager?: string | undefined; country: string | undefined; atMs: number },
): Promise<Conclusion[]> {
  const rows = authorized.map(({ url, authorized_for, entry_id, entry_json, is_exclusive }): Authorization => ({
    ...{ authorization_id: entry_id, agent_url: url, authorized_for, source: 'adagents_json' },
    publisher_domain: manager ?? publisher_domain,
    ...{ entry_id, entry_json, is_exclusive, source_url: null, seen_at: toTimestamp(atMs), revision: 0 },
  }));
  const claims = [{ properties, revoked, rows, is_manager: manager !== undefined }];
  const agents = [...new Set(authorized.map(({ url }) => url))].slice(0, MOST_AGENTS);
  const named = properties
    .filter((one) => manager === undefined || one.publisher_domain === publisher_domain)
    .map(({ property_id, identifiers }) => property_id ?? identifiers[0]?.value)
    .filter((name) => name !== undefined);
  const conclusions: Conclusion[] = [];
  for (const property of [undefined, ...named.slice(0, MOST_PROPERTIES)]) {
    const judged = judgeAgents({ publisher_domain, property, country, atMs }, claims, agents);
    for (const [agent, { authorized: yes, code, limited_by }] of judged)
      conclusions.push({
        ...{ agent, property: property ?? null, authorized: yes, code, reason: REASONS[code] },
        limited_by: [...limited_by],
      });
    await new Promise(setImmediate);
  }
  return conclusions;
}
