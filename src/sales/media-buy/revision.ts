import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { MediaBuy } from './media-buy.ts';
import { toHistoryView, toMediaBuyView } from './media-buy-view.ts';

/**
 * What is stored for a buy that was `before` and is changed to `after`: its `revision` is one higher exactly when a buyer
 * sees a difference, whatever the writer has put there, and else it is as new as it was (rule B2). Asked at every write of
 * the collection. Pure.
 */
export function withRevision(before: MediaBuy, after: MediaBuy): MediaBuy {
  if (seenByBuyers(before) !== seenByBuyers(after)) return { ...after, revision: before.revision + 1 };
  return { ...after, revision: before.revision, updated_at: before.updated_at };
}

/** All that is answered of the buy's row, as text; health and webhook activity stand in rows of their own. */
function seenByBuyers(buy: MediaBuy): string {
  const { revision: _revision, updated_at: _updated_at, ...view } = toMediaBuyView(buy);
  return canonicalJson({ ...view, history: buy.history.map(toHistoryView) });
}
