import type { Store } from '../../platform/store/collection.ts';
import { ALWAYS } from '../../platform/time-span.ts';
import type { TimeSpan } from '../../platform/time-span.ts';
import { AT_ONCE_OF_AGENTS, eachClaims, readForAgents } from './find-claims.ts';
import type { Authorization } from './authorization.ts';
import { liveOf, narrowBy } from './live-authorizations.ts';
import type { LiveAuthorization } from './live-authorizations.ts';
import { publishersOfAgent, publishersOfFew } from './publishers-of-agent.ts';
import type { PublishersOfAgent } from './publishers-of-agent.ts';

/** Publishers that one answer looks at, of all its agents together. */
const MOST_LOOKED_AT = 10_000;
/** Entries that are kept from when publishers were looked for until they are judged; what is more is read again. */
const MOST_HELD = 10_000;

/** For whom agents may sell, and what there was no room for. */
interface LiveOfAgents {
  /** By publisher. */
  live: LiveAuthorization[];
  /** Agents of which not all publishers were looked at, and the cursor (see `publishersOfAgent`) that reads on. */
  cut: ReadonlyMap<string, string>;
  /** From when until when it is so, while no row is written: every entry that was judged begins and ends outside of that. */
  within: TimeSpan;
}

/**
 * For whom agents may sell at a time. Publishers are counted, never their entries, so that whoever names an agent many times takes nobody's
 * place. They look at `most` publishers together, and each at its share of what those before it have left.
 */
export async function liveOfAgents(
  store: Store,
  agents: readonly string[],
  atMs: number,
  most = MOST_LOOKED_AT,
): Promise<LiveOfAgents> {
  const looked = (await allOfFew(store, agents, most)) ?? (await lookedAt(store, agents, most));
  const { live, within } = await judged(store, looked, atMs);
  live.sort((a, b) => (a.publisher_domain < b.publisher_domain ? -1 : 1));
  const cut = new Map(
    [...looked].flatMap(([agent, { cursor }]) => (cursor === null ? [] : [[agent, cursor] as const])),
  );
  return { live, cut, within };
}

type Looked = ReadonlyMap<string, PublishersOfAgent>;

/** One agent's are found in as few looks by themselves. */
async function allOfFew(store: Store, agents: readonly string[], most: number): Promise<Looked | undefined> {
  const found = agents.length > 1 ? await publishersOfFew(store, agents) : undefined;
  const count = [...(found?.values() ?? [])].reduce((sum, { listed }) => sum + listed.length, 0);
  return count > most ? undefined : found;
}

async function lookedAt(store: Store, agents: readonly string[], most: number): Promise<Looked> {
  const looked = new Map<string, PublishersOfAgent>();
  let [left, hold] = [most, MOST_HELD];
  for (const [i, agent] of agents.entries()) {
    const share = Math.max(1, Math.ceil(left / (agents.length - i)));
    const page = await publishersOfAgent(store, agent, { most: share, hold });
    looked.set(agent, page);
    left -= page.listed.length;
    for (const { rows } of page.listed) hold -= rows?.length ?? 0;
  }
  return looked;
}

/** A page of the publishers that an agent may sell for. */
interface LiveOfAgentPage {
  live: LiveAuthorization[];
  /** By publisher, where what comes after it is read on. */
  cursors: ReadonlyMap<string, string>;
  /** Null: there are no more. */
  cursor: string | null;
}

/** For whom an agent may sell at a time, `limit` publishers that may let it in at a time, in the order of `publishersOfAgent`. */
export async function liveOfAgentPage(
  store: Store,
  agent_url: string,
  { cursor: from, limit, atMs }: { cursor?: string | undefined; limit: number; atMs: number },
): Promise<LiveOfAgentPage> {
  const page = await publishersOfAgent(store, agent_url, { cursor: from, most: limit, hold: MOST_HELD });
  const { live } = await judged(store, new Map([[agent_url, page]]), atMs);
  return { live, cursors: new Map(page.listed.map((one) => [one.publisher_domain, one.cursor])), cursor: page.cursor };
}

async function judged(
  store: Store,
  looked: Looked,
  atMs: number,
): Promise<{ live: LiveAuthorization[]; within: TimeSpan }> {
  const wanted = new Map<string, string[]>();
  const held = new Map<string, Authorization[]>();
  const again = new Set<string>();
  for (const [agent, { listed }] of looked)
    for (const { publisher_domain, rows } of listed) {
      push(wanted, publisher_domain, agent);
      if (rows === undefined) again.add(publisher_domain);
      else for (const row of rows) push(held, publisher_domain, row);
    }
  for (const domain of again) held.delete(domain);
  const read = readForAgents(store, [...looked.keys()], held);
  const live: LiveAuthorization[] = [];
  const within = { ...ALWAYS };
  for await (const one of eachClaims(store, [...wanted.keys()], read, AT_ONCE_OF_AGENTS)) {
    live.push(...liveOf(one, wanted.get(one.publisher_domain) ?? [], atMs));
    narrowBy(one, within, atMs);
  }
  return { live, within };
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
