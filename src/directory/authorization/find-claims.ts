import { allRows } from '../../platform/store/all-rows.ts';
import type { Store, Where } from '../../platform/store/collection.ts';
import { allPropertiesOf } from '../publisher/property-list.ts';
import { publishers } from '../publisher/publisher.ts';
import type { RegistryProperty, RegistryPublisher } from '../publisher/publisher.ts';
import { authorizations } from './authorization.ts';
import type { Authorization } from './authorization.ts';
import type { Claims } from './judge.ts';

/** Who speaks for a publisher. */
export interface PublisherClaims {
  publisher_domain: string;
  /** Absent where entries of it are all that is stored. */
  publisher: RegistryPublisher | undefined;
  claims: readonly Claims[];
}

/**
 * Of each publisher that the registry knows, by domain, what its own file and its manager's say. `read` gives entries of publishers:
 * at least those of the agents in question, and those that are exclusive.
 */
export async function findClaims(
  store: Store,
  domains: readonly string[],
  read: (domains: readonly string[]) => Promise<readonly Authorization[]>,
): Promise<Map<string, PublisherClaims>> {
  const rows = store.collection(publishers);
  const wanted = [...new Set(domains)];
  const known = await rows.getMany(wanted);
  const named = known.flatMap(({ manager_domain }) => manager_domain ?? []);
  const managers = named.length === 0 ? [] : await rows.getMany([...new Set(named)]);
  const byDomain = new Map([...managers, ...known].map((row) => [row.publisher_domain, row]));
  const held = new Map<string, Authorization[]>();
  for (const row of await read([...new Set([...wanted, ...named])])) {
    const list = held.get(row.publisher_domain);
    if (list === undefined) held.set(row.publisher_domain, [row]);
    else list.push(row);
  }
  // Nobody asks for the properties of a file that lets nobody sell anything.
  const listed = new Map<string, readonly RegistryProperty[]>();
  for (const [domain, row] of byDomain) if (held.has(domain)) listed.set(domain, await allPropertiesOf(store, row));
  const saidBy = (domain: string, is_manager: boolean): Claims => ({
    properties: listed.get(domain) ?? [],
    is_manager,
    rows: held.get(domain) ?? [],
    revoked: (byDomain.get(domain)?.revoked ?? []).map(({ publisher_domain }) => publisher_domain),
  });
  const found = new Map<string, PublisherClaims>();
  for (const publisher_domain of wanted) {
    const publisher = byDomain.get(publisher_domain);
    if (publisher === undefined && !held.has(publisher_domain)) continue;
    const manager = publisher !== undefined && hasNoFile(publisher) ? publisher.manager_domain : undefined;
    const claims = [saidBy(publisher_domain, false), ...(manager == null ? [] : [saidBy(manager, true)])];
    found.set(publisher_domain, { publisher_domain, publisher, claims });
  }
  return found;
}

/** What a publisher's own file says goes before what a manager says for it; one that is gone holds for its grace. */
function hasNoFile({ source, verified }: RegistryPublisher): boolean {
  return source !== 'adagents_json' || !verified;
}

/** Every entry of publishers. One has at most 1,000 of its own, which take 2 MB: ask for a few publishers at a time. */
export async function entriesOf(store: Store, domains: readonly string[]): Promise<Authorization[]> {
  return readUpTo(store, { publisher_domain: { in: [...domains] } });
}

/** Those that say to be exclusive: they count against every other agent. Few publishers have any, so that is asked first. */
export async function exclusiveEntriesOf(store: Store, domains: readonly string[]): Promise<Authorization[]> {
  const where = { is_exclusive: true, publisher_domain: { in: [...domains] } };
  if ((await store.collection(authorizations).count(where, { most: 1 })) === 0) return [];
  return readUpTo(store, where);
}

/** Entries of agents, at these publishers; or at all, then 10,000 at most. */
export async function entriesOfAgents(
  store: Store,
  agents: readonly string[],
  domains?: readonly string[],
): Promise<Authorization[]> {
  const agent_url = { in: [...agents] };
  if (domains === undefined) return readUpTo(store, { agent_url }, 10_000);
  return readUpTo(store, { agent_url, publisher_domain: { in: [...domains] } });
}

async function readUpTo(store: Store, where: Where<Authorization>, most = Infinity): Promise<Authorization[]> {
  const found: Authorization[] = [];
  for await (const row of allRows(store.collection(authorizations), { where, limit: 500 })) {
    found.push(row);
    if (found.length >= most) break;
  }
  return found;
}
