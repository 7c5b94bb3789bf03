import { allRows } from '../../platform/store/all-rows.ts';
import type { Query } from '../../platform/store/collection.ts';
import { UnreadableRowError } from '../../platform/store/collection-rows.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { MediaBuy } from './media-buy.ts';
import { recheckMediaBuy } from './recheck.ts';
import type { RecheckDependencies } from './recheck.ts';

/** When buys are looked at again of which one could not be read, in milliseconds: it takes a newer release or a person. */
const UNREADABLE_AGAIN_MS = 10 * 60_000;

/** What is left to do for something whose change was to be followed by its buys. */
export type Left = 'nothing' | 'soon' | 'later';

export interface Recheck {
  /** `later`: a buy cannot be read, and may be one of its. `soon`: the recheck of one of its failed. */
  leftOf: (id: string) => Left;
  /** What the rechecks that failed threw; one for want of a readable row is no failure. */
  faults: unknown[];
}

/**
 * Looks again at the buys that changes concern, one after the other, whatever becomes of the others.
 * @param concerning The ids of what has changed and this buy uses.
 */
export async function recheckAll(
  deps: RecheckDependencies,
  query: Pick<Query<MediaBuy>, 'where' | 'sort'>,
  concerning: (buy: MediaBuy) => readonly string[],
): Promise<Recheck> {
  const left = new Map<string, Left>();
  const faults: unknown[] = [];
  let isWhole = true;
  const onSkipped = () => {
    isWhole = false;
  };
  for await (const buy of allRows(deps.mediaBuys, { ...query, onSkipped })) {
    const ids = concerning(buy);
    if (ids.length === 0) continue;
    try {
      await recheckMediaBuy(deps, buy.media_buy_id);
    } catch (error) {
      const isUnreadable = error instanceof UnreadableRowError;
      if (!isUnreadable) faults.push(error);
      for (const id of ids) if (left.get(id) !== 'soon') left.set(id, isUnreadable ? 'later' : 'soon');
    }
  }
  return { leftOf: (id) => left.get(id) ?? (isWhole ? 'nothing' : 'later'), faults };
}

/** When buys are to be looked at after a look that left this much undone. Pure. */
export function effectsDueAfter(due: string | null, left: Left, nowMs: number): string | null {
  if (left === 'nothing') return null;
  if (left === 'soon' || due === null || due > toTimestamp(nowMs)) return due;
  return toTimestamp(nowMs + UNREADABLE_AGAIN_MS);
}
