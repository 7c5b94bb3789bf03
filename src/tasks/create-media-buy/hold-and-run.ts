import type { RunContext } from '../../runtime/task-definition.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import { countBooked } from '../../sales/ad-order/count-booked.ts';
import { committed } from '../../sales/ad-order/settled.ts';
import { errorOf, verdictOf } from '../../sales/ad-order/verdict.ts';
import { hasOpen, hasPart } from '../../sales/ad-order/open.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { waitsForAdServer } from '../waits-for-ad-server.ts';
import type { AdServerWait } from '../waits-for-ad-server.ts';

/** What booking needs of the turn that does it. */
export type BookingContext = Pick<RunContext, 'commit' | 'now' | 'step'> & { run: Pick<TaskRun, 'task_id'> };

/**
 * The buy once its inventory is held, or how the task waits for it. Where no person is to be asked, the task has passed its
 * point of no return then, and the buy may run. @throws {AppError} what the ad server refused it for.
 */
export async function holdInventory(
  deps: TaskDependencies,
  buy: MediaBuy,
  context: BookingContext,
): Promise<MediaBuy | AdServerWait> {
  const { task_id } = context.run;
  if (buy.open_change?.kind !== 'hold') return refusedOr(buy, task_id);
  const inHand = buy.row_version === 1 && { written: buy };
  const commit = () => context.commit();
  const told = (await deps.courier.tell(buy.media_buy_id, { own: task_id, ...inHand, commit })) ?? buy;
  return told.open_change?.kind === 'hold' ? waitsForAdServer(deps, told, context) : refusedOr(told, task_id);
}

/**
 * The buy once it runs, where it may run at once; and the point of no return: from here on it may, whenever what it still waits
 * for has come. @throws {AppError} what the ad server refused it for.
 */
export async function letRun(
  deps: TaskDependencies,
  seen: MediaBuy,
  context: BookingContext,
): Promise<MediaBuy | AdServerWait> {
  const { task_id } = context.run;
  const isReady = (buy: MediaBuy) => buy.is_uncommitted !== true && !hasPart(buy, task_id);
  if (isReady(seen)) return refusedOr(seen, task_id);
  await context.commit();
  for (let buy = seen; ;) {
    if (isTerminalBuy(buy.status) || isReady(buy)) return refusedOr(buy, task_id);
    const isRunning = hasPart(buy, task_id);
    const opened = isRunning
      ? buy
      : await deps.mediaBuys.replace(committed(buy, task_id, await deps.courier.look(buy)), buy);
    if (!isRunning && opened !== undefined) countBooked(deps, buy, opened);
    if (opened !== undefined && hasOpen(opened)) {
      const told = await deps.courier.tell(buy.media_buy_id, { own: task_id, ...(!isRunning && { written: opened }) });
      if (told !== undefined && hasPart(told, task_id)) return waitsForAdServer(deps, told, context);
    }
    buy = (await deps.mediaBuys.get(buy.media_buy_id)) ?? buy;
  }
}

function refusedOr(buy: MediaBuy, task_id: string): MediaBuy {
  const verdict = verdictOf(buy, task_id);
  if (verdict?.outcome === 'refused') throw errorOf(verdict);
  return buy;
}
