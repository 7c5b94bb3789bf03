import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { MediaBuy } from './media-buy.ts';
import { toHistoryView, toMediaBuyView } from './media-buy-view.ts';

/**
 * What is stored for a buy that was `before` and is changed to `after`: its `revision` is one higher exactly when a buyer
 * sees a difference, whatever the writer has put there, and else it is as new as it was (rule B2). Asked at every write of
 * the collection. Pure.
 */
export function withRevision(before: MediaBuy, after: MediaBuy): MediaBuy {
  if (isSameButParts(before, after)) return { ...after, revision: before.revision, updated_at: before.updated_at };
  if (seenByBuyers(before) !== seenByBuyers(after)) return { ...after, revision: before.revision + 1 };
  return { ...after, revision: before.revision, updated_at: before.updated_at };
}

/** What of the row changes most, and is answered to nobody. */
const UNSEEN: ReadonlySet<string> = new Set([
  ...['flight', 'flight_due_at', 'reporting', 'reporting_due_at', 'order_due_at'],
  ...['revision', 'row_version', 'updated_at'],
]);

/** Whether it can be told without a look at all that is answered that a buyer sees no difference. */
function isSameButParts(before: MediaBuy, after: MediaBuy): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof MediaBuy>;
  return [...names].every((name) => UNSEEN.has(name) || before[name] === after[name]);
}

/** All that is answered of the buy's row, as text; health and webhook activity stand in rows of their own. */
function seenByBuyers(buy: MediaBuy): string {
  const { revision: _revision, updated_at: _updated_at, ...view } = toMediaBuyView(buy);
  return canonicalJson({ ...view, history: buy.history.map(toHistoryView) });
}
