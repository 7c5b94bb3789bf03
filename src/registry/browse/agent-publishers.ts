import { authorizations } from '../../directory/authorization/authorization.ts';
import { managerOf } from '../../directory/authorization/find-claims.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import { liveOfAgentPage } from '../../directory/authorization/live-of-agents.ts';
import { nameOf } from '../../directory/authorization/property-index.ts';
import { soldOf } from '../../directory/authorization/sold-properties.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { fromTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { strongEtag } from '../../platform/etag.ts';
import { startSlices } from '../../platform/in-slices.ts';
import type { Store } from '../../platform/store/collection.ts';
import { endpoint } from '../endpoint.ts';
import { claimedProperties, eachOfAgent } from '../public-authorization/claims-of-agent.ts';
import { AgentParam } from './look-ups.ts';
import { AgentPublishers, AgentPublishersQuery } from './schema.ts';

/** Properties that are gone through for one page, or those of its first publisher. */
const MOST_COUNTED = 50_000;
/** Properties that one page names: how many, and their length in characters. */
const MOST_NAMED = { count: 10_000, length: 1_000_000 } as const;

/** The public protocol's directory of publishers, by agent (rule R15.browse). */
export const agentPublishers = endpoint({
  id: 'agentPublishers',
  method: 'get',
  path: '/v1/agents/{agentUrl}/publishers',
  tag: 'Registry',
  summary: "Look up for which publishers an agent may sell now, in the words of the public protocol's directory",
  description:
    "Those whose own file or entry names the agent, by domain, and after each those that it manages (MANAGERDOMAIN). A page may be shorter than `limit`, and empty, while there is a `next_cursor`: one counts some 50,000 properties, and names at most 10,000. Send the ETag back as If-None-Match: 304 while the page is the same. Verify a publisher's own adagents.json before money depends on it.",
  access: 'public',
  effect: 'read',
  limit: 'browse',
  params: AgentParam,
  query: AgentPublishersQuery,
  responses: {
    200: { description: 'A page of publishers', schema: AgentPublishers },
    304: { description: 'The page is as it was' },
  },

  async handle({ params: { agentUrl: agent_url }, query }, { store, clock, header }) {
    const { cursor, limit = 50, since, include } = query;
    const atMs = clock.now();
    const page = await liveOfAgentPage(store, agent_url, { cursor, limit, atMs });
    if (page.live.length === 0 && (await store.collection(authorizations).count({ agent_url }, { most: 1 })) === 0)
      throw new AppError('NOT_FOUND', 'no publisher that is known here names this agent', { field: 'agentUrl' });
    const live = page.live.filter((one) => since === undefined || fromTimestamp(one.seen_at) >= Date.parse(since));
    const rows = await store.collection(publishers).getMany(live.map((one) => one.publisher_domain));
    const known = new Map(rows.map((row) => [row.publisher_domain, row]));
    const { told, isCut } = await countedOf(store, { agent_url, atMs, live, areNamed: include !== undefined });
    const shown = told.map(({ one, authorized, total, named }) => ({
      ...{ publisher_domain: one.publisher_domain, ...foundBy(known.get(one.publisher_domain), one) },
      ...{ properties_authorized: authorized, properties_total: total },
      ...(named !== undefined && { property_ids: named.ids }),
      ...(named?.isCut === true && { property_ids_truncated: true as const }),
      ...{ status: 'authorized' as const, last_verified_at: one.seen_at, registry_source: one.source },
    }));
    const last = told.at(-1)?.one.publisher_domain ?? '';
    const next_cursor = isCut ? (page.cursors.get(last) ?? null) : page.cursor;
    const directory_indexed_at =
      shown
        .map((one) => one.last_verified_at)
        .sort()
        .at(-1) ?? null;
    const body = { agent_url, directory_indexed_at, publishers: shown, next_cursor };
    const tag = strongEtag(JSON.stringify(body));
    const headers = { ETag: tag, 'Cache-Control': 'public, max-age=30' };
    const isKnown = (header('if-none-match') ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
    return isKnown ? { status: 304, headers } : { body, headers };
  },
});

/** A file elsewhere is another's, and its host is whose; one whose entry stands in its manager's file has none. */
function foundBy(row: RegistryPublisher | undefined, { source }: LiveAuthorization) {
  const manager_domain = row === undefined || source === 'hosted' ? undefined : managerOf(row);
  if (manager_domain !== undefined) return { discovery_method: 'ads_txt_managerdomain' as const, manager_domain };
  const location = row?.crawl?.location ?? null;
  return location === null
    ? { discovery_method: 'direct' as const, manager_domain: null }
    : { discovery_method: 'authoritative_location' as const, manager_domain: new URL(location).hostname };
}

/** Names of one publisher's properties, as far as one page has room for them. */
interface Named {
  ids: string[];
  /** In characters, of all of them. */
  length: number;
  /** There are more. */
  isCut: boolean;
}

interface Told {
  one: LiveAuthorization;
  /** Of how many of its properties the agent may sell. */
  authorized: number;
  total: number;
  /** Undefined: nobody asked for them. */
  named: Named | undefined;
}

interface Counting {
  agent_url: string;
  atMs: number;
  live: readonly LiveAuthorization[];
  areNamed: boolean;
}

/** Of each publisher what the agent may sell; from where there is too much to judge or to name on, it is another page's. */
async function countedOf(
  store: Store,
  { agent_url, atMs, live, areNamed }: Counting,
): Promise<{ told: Told[]; isCut: boolean }> {
  const byDomain = new Map(live.map((one) => [one.publisher_domain, one]));
  const told: Told[] = [];
  let counted = 0;
  const ofPage = { count: 0, length: 0 };
  const slices = startSlices();
  for await (const publisher of eachOfAgent(store, agent_url, [...byDomain.keys()])) {
    const one = byDomain.get(publisher.publisher_domain);
    if (one === undefined) continue;
    const all = claimedProperties(publisher, agent_url);
    counted += all.length;
    if (told.length > 0 && counted > MOST_COUNTED) return { told, isCut: true };
    const named: Named | undefined = areNamed ? { ids: [], length: 0, isCut: false } : undefined;
    const isSold = one.in_part ? soldOf(publisher, agent_url, atMs) : () => true;
    let authorized = 0;
    for (const each of all) {
      if (slices.isOver()) await slices.next();
      const property = nameOf(each) ?? '';
      if (!isSold(property)) continue;
      authorized++;
      if (named !== undefined) addTo(named, property);
    }
    if (named !== undefined) {
      ofPage.count += named.ids.length;
      ofPage.length += named.length;
      if (told.length > 0 && (named.isCut || isTooMuch(ofPage))) return { told, isCut: true };
    }
    told.push({ one, authorized, total: all.length, named });
  }
  return { told, isCut: false };
}

function addTo(named: Named, property: string): void {
  const length = named.length + property.length;
  named.isCut ||= isTooMuch({ count: named.ids.length + 1, length });
  if (named.isCut) return;
  named.ids.push(property);
  named.length = length;
}

function isTooMuch({ count, length }: { count: number; length: number }): boolean {
  return count > MOST_NAMED.count || length > MOST_NAMED.length;
}
