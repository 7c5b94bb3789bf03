import type { TaskId } from '../../platform/task-id.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { lookAt } from './look-at.ts';
import type { Planning } from './open.ts';
import { settled } from './settled.ts';
import { newlyDecided } from './verdict.ts';

/**
 * Writes what becomes of a buy as it stands, along with what follows from it, and wakes those who wait for it. Answers the buy
 * as written; undefined where nothing is to be written.
 * @param own The task whose turn this is, and that is not to be woken.
 */
export async function writeNext(
  deps: CourierDependencies,
  media_buy_id: MediaBuyId,
  next: (buy: MediaBuy, look: Planning) => MediaBuy | undefined,
  own: TaskId | undefined,
): Promise<MediaBuy | undefined> {
  const { mediaBuys } = deps;
  for (;;) {
    const buy = await mediaBuys.get(media_buy_id);
    if (buy === undefined) return undefined;
    const look = await lookAt(deps, buy);
    const changed = next(buy, look);
    if (changed === undefined) return undefined;
    const written = await mediaBuys.replace(settled(changed, look) ?? changed);
    if (written === undefined) continue;
    for (const task_id of newlyDecided(buy, written)) {
      if (task_id !== own) await deps.wakeTask(task_id);
    }
    const { status, pending_reason } = written;
    if (status !== buy.status || pending_reason !== buy.pending_reason) await deps.onMoved(media_buy_id);
    return written;
  }
}
