import { toTimestamp } from '../../../platform/clock.ts';
import type { Ids } from '../../../platform/clock.ts';
import type { Store } from '../../../platform/store/collection.ts';
import type { OperatorAction } from './action.ts';
import { contentHash, linkHash } from './record-link.ts';
import type { RecordLink } from './record-link.ts';

/** How long an action stays on record after the last write of it, in milliseconds: 400 days. */
export const RECORD_RETENTION_MS = 400 * 24 * 3_600_000;

/** The writes of one process to the record, one after the other. */
export interface RecordChain {
  /**
   * Makes one write. It is given what puts a row into the chain, and may do so again, as a compare-and-swap does: the last counts. It answers
   * whether it wrote that. @returns the hash of what this process wrote last, for its log; null of nothing.
   */
  append(
    nowMs: number,
    write: (linked: (row: OperatorAction) => OperatorAction) => Promise<boolean>,
  ): Promise<string | null>;
}

const chains = new WeakMap<Store, RecordChain>();

/** The one chain of this process in a store. */
export function recordChain(store: Store, ids: Ids): RecordChain {
  const present = chains.get(store);
  if (present !== undefined) return present;
  const made = newChain(ids);
  chains.set(store, made);
  return made;
}

type Head = Pick<RecordLink, 'chain' | 'place'> & { hash: string | null; at: string | null };

function newChain(ids: Ids): RecordChain {
  /** Undefined where the last write may have happened or not: then another chain begins, and this one is over. */
  let head: Head | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function appendNow(nowMs: number, write: Parameters<RecordChain['append']>[1]): Promise<string | null> {
    const from = head ?? { chain: ids.newId(), place: 0, hash: null, at: null };
    head = undefined;
    let made: Head = from;
    const isWritten = await write((row) => {
      const at = toTimestamp(nowMs);
      const { chain, place, hash: before, at: before_at } = from;
      const link = { chain, place: place + 1, before, before_at, at, content: contentHash(row) };
      made = { chain, place: link.place, hash: linkHash(row.action_id, link), at };
      const expires_at = toTimestamp(nowMs + RECORD_RETENTION_MS);
      return { ...row, links: [...(row.links ?? []), link], expires_at };
    });
    head = isWritten ? made : from;
    return head.hash;
  }

  return {
    append(nowMs, write) {
      const appended = last.then(() => appendNow(nowMs, write));
      last = appended.catch(() => undefined);
      return appended;
    },
  };
}
