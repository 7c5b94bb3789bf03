import { allRows } from '../../platform/store/all-rows.ts';
import type { Store, Where } from '../../platform/store/collection.ts';
import { heldLists } from '../publisher/held-lists.ts';
import { publishers } from '../publisher/publisher.ts';
import type { RegistryPublisher } from '../publisher/publisher.ts';
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

/** Publishers' rows read in one go, with entries of theirs: a row may hold 250,000 characters of properties. */
const AT_ONCE = 25;
/** The same, with the entries of some agents alone. */
export const AT_ONCE_OF_AGENTS = 50;

/**
 * Of each publisher that the registry knows, in their order, what its own file and its manager's say. `read` gives entries of publishers:
 * at least those of the agents in question, and those that are exclusive. Long lists of properties are read as their publisher comes, so
 * that a few are in memory, however many publishers there are.
 */
export async function* eachClaims(
  store: Store,
  domains: readonly string[],
  read: (domains: readonly string[]) => Promise<readonly Authorization[]>,
  atOnce = AT_ONCE,
): AsyncGenerator<PublisherClaims, void, undefined> {
  const wanted = [...new Set(domains)];
  const propertiesOf = heldLists(store);
  for (let i = 0; i < wanted.length; i += atOnce) {
    const some = wanted.slice(i, i + atOnce);
    const known = await rowsOf(store, some);
    const named = [...known.values()].flatMap(({ manager_domain }) => manager_domain ?? []);
    const managers = await rowsOf(store, named);
    const held = byPublisher(await read([...new Set([...some, ...named])]));
    // Nobody asks for the properties of a file that lets nobody sell anything.
    const saidBy = async (
      domain: string,
      row: RegistryPublisher | undefined,
      is_manager: boolean,
    ): Promise<Claims> => ({
      properties: row === undefined || !held.has(domain) ? [] : await propertiesOf(row),
      is_manager,
      rows: held.get(domain) ?? [],
      revoked: (row?.revoked ?? []).map(({ publisher_domain }) => publisher_domain),
    });
    for (const publisher_domain of some) {
      const publisher = known.get(publisher_domain);
      if (publisher === undefined && !held.has(publisher_domain)) continue;
      const claims = [await saidBy(publisher_domain, publisher, false)];
      const manager = publisher === undefined ? undefined : managerOf(publisher);
      if (manager !== undefined) claims.push(await saidBy(manager, managers.get(manager), true));
      yield { publisher_domain, publisher, claims };
    }
  }
}

/** The same of one publisher, by all of its entries; undefined: the registry knows nothing of it. */
export async function claimsOf(store: Store, domain: string): Promise<PublisherClaims | undefined> {
  for await (const one of eachClaims(store, [domain], (of) => entriesOf(store, of))) return one;
  return undefined;
}

/** What judges some agents: their entries, and those that count against them. `held`: the former of publishers where they are known. */
export function readForAgents(
  store: Store,
  agents: readonly string[],
  held: ReadonlyMap<string, readonly Authorization[]> = new Map(),
) {
  return async (domains: readonly string[]): Promise<Authorization[]> => {
    const exclusive = await exclusiveEntriesOf(store, domains);
    const missing = domains.filter((domain) => !held.has(domain));
    const theirs = missing.length === 0 ? [] : await entriesOfAgents(store, agents, missing);
    for (const domain of domains) theirs.push(...(held.get(domain) ?? []));
    if (exclusive.length === 0) return theirs;
    const known = new Set(theirs.map((row) => row.authorization_id));
    return [...theirs, ...exclusive.filter((row) => !known.has(row.authorization_id))];
  };
}

async function rowsOf(store: Store, domains: readonly string[]): Promise<Map<string, RegistryPublisher>> {
  if (domains.length === 0) return new Map();
  const rows = await store.collection(publishers).getMany([...new Set(domains)]);
  return new Map(rows.map((row) => [row.publisher_domain, row]));
}

/** Rows of each publisher. */
export function byPublisher(rows: readonly Authorization[]): Map<string, Authorization[]> {
  const held = new Map<string, Authorization[]>();
  for (const row of rows) {
    const list = held.get(row.publisher_domain);
    if (list === undefined) held.set(row.publisher_domain, [row]);
    else list.push(row);
  }
  return held;
}

/**
 * Whose file speaks for a publisher besides. What its own says goes before what a manager says for it; one that is gone holds for its grace.
 */
export function managerOf({ source, verified, manager_domain }: RegistryPublisher): string | undefined {
  return source === 'adagents_json' && verified ? undefined : (manager_domain ?? undefined);
}

/** Every entry of publishers. One has at most 1,000 of its own, which take 2 MB: ask for a few publishers at a time. */
export async function entriesOf(store: Store, domains: readonly string[]): Promise<Authorization[]> {
  return entriesWhere(store, { publisher_domain: { in: [...domains] } });
}

/** Those that say to be exclusive: they count against every other agent. Few publishers have any, so that is asked first. */
async function exclusiveEntriesOf(store: Store, domains: readonly string[]): Promise<Authorization[]> {
  const where = { is_exclusive: true, publisher_domain: { in: [...domains] } };
  if ((await store.collection(authorizations).count(where, { most: 1 })) === 0) return [];
  return entriesWhere(store, where);
}

/** Entries of agents at publishers: of each pair at most 100, and one of the operator's. */
export async function entriesOfAgents(
  store: Store,
  agents: readonly string[],
  domains: readonly string[],
): Promise<Authorization[]> {
  return entriesWhere(store, { agent_url: { in: [...agents] }, publisher_domain: { in: [...domains] } });
}

async function entriesWhere(store: Store, where: Where<Authorization>): Promise<Authorization[]> {
  const found: Authorization[] = [];
  for await (const row of allRows(store.collection(authorizations), { where, limit: 500 })) found.push(row);
  return found;
}
