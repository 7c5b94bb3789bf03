import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { allPages } from '../../../platform/store/all-rows.ts';
import { operation } from '../operation.ts';
import { OperatorActions } from './action.ts';
import type { OperatorAction } from './action.ts';
import { BEGUN } from './record.ts';
import { RECORD_RETENTION_MS } from './record-chain.ts';
import { contentHash, linkHash } from './record-link.ts';
import type { RecordLink } from './record-link.ts';

export const RecordFault = z.object({
  kind: z.enum(['altered', 'missing', 'unreadable']),
  /** The row that is altered; of what is missing, the one that was written after it. */
  action_id: z.string(),
  at: z.string().nullable(),
  found: z.string(),
});
export type RecordFault = z.infer<typeof RecordFault>;

/** Whether the record is as it was written. */
export const RecordVerdict = z.object({
  is_whole: z.boolean(),
  /** How many actions were looked at, and how many of them earlier releases wrote, without a hash. */
  actions: z.int(),
  without_hash: z.int(),
  /** Processes that wrote them. */
  chains: z.int(),
  /** The first hundred. */
  faults: z.array(RecordFault),
});

const MAX_FAULTS = 100;

/** Looks at every row: each must be as its last hash says, and follow the one before of its process. */
export const verifyRecord = operation({
  method: 'get',
  path: '/actions/verification',
  summary: 'Verify that no row of what operators did was altered or removed.',
  role: 'viewer',
  answer: RecordVerdict,
  async handle(_input, { store, clock }) {
    const check = recordCheck(toTimestamp(clock.now() - RECORD_RETENTION_MS));
    const rows = store.collection(OperatorActions);
    for await (const page of allPages(rows, { where: {}, onSkipped: check.unreadable }))
      for (const row of page) check.add(row);
    return check.verdict();
  },
});

interface Met {
  action_id: string;
  link: RecordLink;
}

/** Takes rows in any order. `since`: what was written before may be gone. Pure but for what it has taken. */
export function recordCheck(since: string) {
  const chains = new Map<string, Met[]>();
  const faults: RecordFault[] = [];
  let [actions, without_hash] = [0, 0];

  /** One after the other, each in its place and named by the one after. */
  function follow(met: readonly Met[]): void {
    const sorted = [...met].sort((a, b) => a.link.place - b.link.place);
    sorted.forEach(({ action_id, link }, i) => {
      const former = sorted[i - 1];
      const { place, before, before_at, at } = link;
      const isNext = place === (former?.link.place ?? 0) + 1;
      if (!isNext && former?.link.place === place)
        faults.push({ kind: 'altered', action_id, at, found: 'another row has its place' });
      else if (!isNext && (before_at === null || before_at >= since))
        faults.push({
          kind: 'missing',
          action_id,
          at,
          found: `what was written before it at ${before_at ?? 'a time that is gone'}`,
        });
      else if (isNext && former !== undefined && before !== linkHash(former.action_id, former.link))
        faults.push({
          kind: 'altered',
          action_id: former.action_id,
          at: former.link.at,
          found: 'the row after names another',
        });
    });
  }

  return {
    add(row: OperatorAction): void {
      actions += 1;
      const { action_id, links = [] } = row;
      const [first, last] = [links[0], links.at(-1)];
      const begun = { ...row, ...BEGUN, changed: undefined };
      if (first === undefined || last === undefined) without_hash += 1;
      // As it was begun, too: nobody who ends it later may do so with what was altered meanwhile.
      else if (last.content !== contentHash(row) || first.content !== contentHash(begun))
        faults.push({ kind: 'altered', action_id, at: last.at, found: 'it says something else than was written' });
      for (const link of links) {
        const met = chains.get(link.chain) ?? [];
        met.push({ action_id, link });
        chains.set(link.chain, met);
      }
    },
    unreadable: (keys: readonly string[]): void => {
      for (const action_id of keys)
        faults.push({ kind: 'unreadable', action_id, at: null, found: 'it cannot be read' });
    },
    verdict(): z.infer<typeof RecordVerdict> {
      for (const met of chains.values()) follow(met);
      const shown = faults.slice(0, MAX_FAULTS);
      return { is_whole: faults.length === 0, actions, without_hash, chains: chains.size, faults: shown };
    },
  };
}
