import { toTimestamp } from '../../platform/clock.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { lookedAtSoon } from '../media-buy/looked-at-soon.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { openApprovalsOf } from '../approval/approval.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { lookAt } from './look-at.ts';
import type { Planning } from './open.ts';
import { newlyDecided } from './verdict.ts';
import { countBooked } from './count-booked.ts';

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
    const waiting = own === undefined && endsIn(buy, changed) ? await whoWaits(deps, buy) : [];
    // Their turns are owed before the buy is over, so that no death in between leaves them waiting for ever.
    for (const task_id of waiting) await deps.wakeTask(task_id);
    const written = await mediaBuys.replace(lookedAtSoon(buy, changed, toTimestamp(deps.clock.now())), buy);
    if (written === undefined) continue;
    countBooked(deps, buy, written);
    for (const task_id of new Set([...toWake(buy, written), ...waiting])) {
      if (task_id !== own) await deps.wakeTask(task_id);
    }
    return written;
  }
  return undefined;
}

/** The tasks that can go on: they have their verdict now, or the inventory of the buy that they make is held. */
function toWake(before: MediaBuy, after: MediaBuy): TaskId[] {
  const { kind, task_id } = before.open_change ?? {};
  const isHeld = kind === 'hold' && after.open_change?.kind !== 'hold';
  return [...newlyDecided(before, after), ...(isHeld && task_id ? [task_id] : [])];
}

function endsIn(before: MediaBuy, after: MediaBuy): boolean {
  return !isTerminalBuy(before.status) && isTerminalBuy(after.status);
}

/** The tasks about a buy that a person is asked about still: once it is over, there is nothing to decide. */
async function whoWaits({ approvals }: Pick<CourierDependencies, 'approvals'>, { media_buy_id }: MediaBuy) {
  return (await openApprovalsOf(approvals, media_buy_id)).map(({ task_id }) => task_id);
}
