import { toTimestamp } from '../../platform/clock.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { lookedAtSoon } from '../media-buy/looked-at-soon.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { awaitsApproval } from '../media-buy/readiness.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { lookAt } from './look-at.ts';
import type { Planning } from './open.ts';
import { newlyDecided } from './verdict.ts';

/** What is to be written into a buy. */
export interface NextWrite {
  /** What the buy becomes, quiet; undefined where nothing is to be written. Asked anew for each version that stands in the way. */
  next: (buy: MediaBuy, look: Planning) => Promise<MediaBuy | undefined> | MediaBuy | undefined;
  /** The task whose turn this is, and that is not to be woken. */
  own: TaskId | undefined;
}

/**
 * Writes what becomes of a buy, from what the caller has read on, and wakes those who wait for it. Answers the buy as written;
 * undefined where nothing is to be written or the buy is gone.
 */
export async function writeNext(
  deps: CourierDependencies,
  read: MediaBuy,
  { next, own }: NextWrite,
): Promise<MediaBuy | undefined> {
  const { mediaBuys } = deps;
  const { media_buy_id } = read;
  for (let buy: MediaBuy | undefined = read; buy !== undefined; buy = await mediaBuys.get(media_buy_id)) {
    const changed = await next(buy, await lookAt(deps, buy));
    if (changed === undefined) return undefined;
    const written = await mediaBuys.replace(lookedAtSoon(buy, changed, toTimestamp(deps.clock.now())), buy);
    if (written === undefined) continue;
    for (const task_id of toWake(buy, written, own)) {
      if (task_id !== own) await deps.wakeTask(task_id);
    }
    return written;
  }
  return undefined;
}

/**
 * The tasks that can go on: they have their verdict now, or the inventory of the buy that they make is held; or that buy is over, by
 * no task that would see to it, and a person is asked about it still.
 */
function toWake(before: MediaBuy, after: MediaBuy, own: TaskId | undefined): TaskId[] {
  const { kind, task_id } = before.open_change ?? {};
  const isHeld = kind === 'hold' && after.open_change?.kind !== 'hold';
  const isOver = own === undefined && !isTerminalBuy(before.status) && isTerminalBuy(after.status);
  return [
    ...new Set([
      ...newlyDecided(before, after),
      ...(isHeld && task_id ? [task_id] : []),
      ...(isOver && awaitsApproval(before) ? [after.task_id] : []),
    ]),
  ];
}
