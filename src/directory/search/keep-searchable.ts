import { agents } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import { publishers } from '../publisher/publisher.ts';
import type { RegistryPublisher } from '../publisher/publisher.ts';
import type { Collection, Row, Store } from '../../platform/store/collection.ts';
import { findableAgent, findablePublisher } from './findable.ts';
import { keepEntry } from './keep-entry.ts';
import type { Findable } from './keep-entry.ts';
import { oweIndex } from './owed-index.ts';
import type { Indexed } from './owed-index.ts';

/** Stands in rows whose entry says what they say, by the words of this release. */
const INDEXED = '2';
/** In rows that are owed it: null, or what an earlier release has put there, whose words had their accents. */
const OWED = [null, '1'] as const;
/** Rows of one kind in one round, and at once: publishers' may be large. */
const MOST = { agents: 2000, publishers: 2000 } as const;
const AT_ONCE = { agents: 50, publishers: 10 } as const;

/**
 * Makes agents and publishers that have changed, or that were there before anything was searched by words, found by what they say
 * now. What is owed stands in their rows. Any number of processes may do it at once; killed in between, it is done again. Answers
 * how many rows were looked at.
 * @param stop Ends it after the rows in hand.
 */
export async function keepSearchable({ store }: { store: Store }, stop?: AbortSignal): Promise<number> {
  const [ofAgents, ofPublishers] = [store.collection(agents), store.collection(publishers)];
  const keepAgent = (row: Agent) => keepRow(store, ofAgents, row.agent_id, (fresh) => findableAgent(fresh));
  const keepPublisher = (row: RegistryPublisher) =>
    keepRow(store, ofPublishers, row.publisher_domain, (fresh) => findablePublisher(store, fresh));
  const looked = await keepAll(ofAgents, { most: MOST.agents, limit: AT_ONCE.agents, stop }, keepAgent);
  return (
    looked + (await keepAll(ofPublishers, { most: MOST.publishers, limit: AT_ONCE.publishers, stop }, keepPublisher))
  );
}

async function keepAll<R extends Row & Indexed>(
  rows: Collection<R>,
  { most, limit, stop }: { most: number; limit: number; stop: AbortSignal | undefined },
  keep: (row: R) => Promise<void>,
): Promise<number> {
  let looked = 0;
  for (const indexed_as of OWED) looked += await keepOwed(rows, { indexed_as, most: most - looked, limit, stop }, keep);
  return looked;
}

async function keepOwed<R extends Row & Indexed>(
  rows: Collection<R>,
  {
    indexed_as,
    most,
    limit,
    stop,
  }: { indexed_as: string | null; most: number; limit: number; stop: AbortSignal | undefined },
  keep: (row: R) => Promise<void>,
): Promise<number> {
  let looked = 0;
  let after: string | undefined;
  while (looked < most && stop?.aborted !== true) {
    const where = { indexed_as } as Parameters<Collection<R>['find']>[0]['where'];
    const page = await rows.find({ where, limit, ...(after !== undefined && { after }) });
    await Promise.all(page.rows.map(keep));
    looked += page.rows.length;
    after = page.cursor;
    if (after === undefined) break;
  }
  return looked;
}

async function keepRow<R extends Row & Indexed>(
  store: Store,
  rows: Collection<R>,
  subject: string,
  findable: (row: R) => Promise<Findable> | Findable,
): Promise<void> {
  let row: R | undefined;
  const isKept = await keepEntry(store, subject, async () => {
    row = await rows.get(subject);
    return row === undefined ? { list: null, terms: [] } : findable(row);
  });
  const isMarked = isKept && row !== undefined && (await rows.replace({ ...row, indexed_as: INDEXED })) !== undefined;
  // Another was at it, or the row has changed: whoever comes next does it again.
  if (!isMarked) await oweIndex(rows, subject);
}
