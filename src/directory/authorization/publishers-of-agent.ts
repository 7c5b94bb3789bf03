import type { Store } from '../../platform/store/collection.ts';
import { publishers } from '../publisher/publisher.ts';
import { authorizations } from './authorization.ts';
import type { Authorization } from './authorization.ts';
import { byPublisher, entriesOfAgents } from './find-claims.ts';

/** More than one file has of one agent: 100, and one entry of the operator's. */
const MORE_THAN_OF_ONE = 102;
/** Rows read in one go. */
const AT_ONCE = 500;
/** Of an agent beside others, where all of their rows are read in one go. */
const OF_ALL_AT_ONCE = 1000;
/** Those of managed publishers, which have no file and seldom any property. */
const MANAGED_AT_ONCE = 200;

/** A publisher for which an agent may be let in. */
interface PublisherOfAgent {
  publisher_domain: string;
  /** What comes after it is read on from here. */
  cursor: string;
  /** Its own entries of the agent, none where its manager's file has them; undefined where they are too many to hold. */
  rows: readonly Authorization[] | undefined;
}

/** A page of them, however many entries each has. */
export interface PublishersOfAgent {
  listed: PublisherOfAgent[];
  /** Null: there are no more. */
  cursor: string | null;
}

/**
 * Publishers whose own entries name an agent, by domain, and after each those that it manages by their `ads.txt`, by domain: each once, and a
 * manager's other publishers where they have no entry of their own. Costs what the page does, wherever it is. A cursor is a publisher's
 * domain: all of it is done; or `manager/` and the domain of the last one that it manages. `hold`: of so many entries the rows are told.
 */
export async function publishersOfAgent(
  store: Store,
  agent_url: string,
  { cursor, most, hold }: { cursor?: string | undefined; most: number; hold: number },
): Promise<PublishersOfAgent> {
  const listed: PublisherOfAgent[] = [];
  let held = 0;
  for await (const one of eachFrom(store, agent_url, cursor ?? '', Math.min(AT_ONCE, most + MORE_THAN_OF_ONE))) {
    if (listed.length === most) return { listed, cursor: listed.at(-1)?.cursor ?? null };
    held += one.rows.length;
    listed.push(held <= hold ? one : { ...one, rows: undefined });
  }
  return { listed, cursor: null };
}

/** The same of several agents in one look, where all their entries are few and nobody of the publishers manages another; else undefined. */
export async function publishersOfFew(
  store: Store,
  agents: readonly string[],
): Promise<Map<string, PublishersOfAgent> | undefined> {
  const where = { agent_url: { in: [...agents] } };
  const { rows, cursor } = await store.collection(authorizations).find({ where, limit: OF_ALL_AT_ONCE });
  if (cursor !== undefined || (await doManage(store, [...new Set(rows.map((row) => row.publisher_domain))])))
    return undefined;
  const byAgent = new Map(agents.map((agent) => [agent, [] as Authorization[]]));
  for (const row of rows) byAgent.get(row.agent_url)?.push(row);
  const listedOf = (own: readonly Authorization[]) =>
    [...byPublisher(own)]
      .map(([publisher_domain, theirs]) => ({ publisher_domain, cursor: publisher_domain, rows: theirs }))
      .sort((a, b) => (a.publisher_domain < b.publisher_domain ? -1 : 1));
  return new Map([...byAgent].map(([agent, own]) => [agent, { listed: listedOf(own), cursor: null }]));
}

type Found = PublisherOfAgent & { rows: readonly Authorization[] };

async function* eachFrom(
  store: Store,
  agent_url: string,
  cursor: string,
  limit: number,
): AsyncGenerator<Found, void, undefined> {
  const [from = '', managed] = cursor.split('/');
  if (managed !== undefined) yield* managedBy(store, agent_url, from, managed);
  for (let place: string | undefined = from; place !== undefined;) {
    const where = { agent_url, publisher_domain: { gt: place } };
    const page = await store.collection(authorizations).find({ where, limit });
    const files = [...byPublisher(page.rows)];
    // The last one may have more entries: it is read again as the first of the next page.
    if (page.cursor !== undefined && files.length > 1) files.pop();
    // Most domains manage nobody, so that is asked of all of them at once.
    const someManage = await doManage(
      store,
      files.map(([domain]) => domain),
    );
    for (const [publisher_domain, rows] of files) {
      const isManager = someManage && (await doManage(store, [publisher_domain]));
      yield { publisher_domain, cursor: isManager ? `${publisher_domain}/` : publisher_domain, rows };
      if (isManager) yield* managedBy(store, agent_url, publisher_domain, '');
    }
    place = page.cursor === undefined ? undefined : files.at(-1)?.[0];
  }
}

/** Whether any of these manages anybody. */
async function doManage(store: Store, domains: readonly string[]): Promise<boolean> {
  const where = { manager_domain: { in: [...domains] } };
  return domains.length > 0 && (await store.collection(publishers).count(where, { most: 1 })) > 0;
}

/** Those whose own entries name the agent have their place elsewhere. */
async function* managedBy(
  store: Store,
  agent_url: string,
  manager_domain: string,
  after: string,
): AsyncGenerator<Found, void, undefined> {
  for (let place: string | undefined = after; place !== undefined;) {
    const where = { manager_domain, publisher_domain: { gt: place } };
    const page = await store.collection(publishers).find({ where, limit: MANAGED_AT_ONCE });
    const domains = page.rows.map((row) => row.publisher_domain);
    const named = await namedThemselves(store, agent_url, domains);
    for (const publisher_domain of domains)
      if (!named.has(publisher_domain))
        yield { publisher_domain, cursor: `${manager_domain}/${publisher_domain}`, rows: [] };
    place = page.cursor === undefined ? undefined : domains.at(-1);
  }
}

async function namedThemselves(store: Store, agent_url: string, domains: readonly string[]): Promise<Set<string>> {
  return new Set((await entriesOfAgents(store, [agent_url], domains)).map((row) => row.publisher_domain));
}
