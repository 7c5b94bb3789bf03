import type { RunContext } from '../../runtime/task-definition.ts';
import { settled } from '../../sales/ad-order/settled.ts';
import { errorOf, verdictOf } from '../../sales/ad-order/verdict.ts';
import { hasOpen, hasPart } from '../../sales/ad-order/open.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { waitsForAdServer } from '../waits-for-ad-server.ts';

type Waits = { waitUntil: number };

/** The buy once its inventory is held, or how the task waits for it. @throws {AppError} what the ad server refused it for. */
export async function holdInventory(
  deps: TaskDependencies,
  buy: MediaBuy,
  context: RunContext,
): Promise<MediaBuy | Waits> {
  const { task_id } = context.run;
  if (buy.open_change?.kind !== 'hold') return refusedOr(buy, task_id);
  const isOwn = buy.row_version === 1;
  const told = (await deps.courier.tell(buy.media_buy_id, { own: task_id, inHand: isOwn })) ?? buy;
  return told.open_change?.kind === 'hold' ? waitsForAdServer(told, context) : refusedOr(told, task_id);
}

/**
 * The buy once it runs, where it may run at once; and the point of no return: from here on it may, whenever what it still waits
 * for has come. @throws {AppError} what the ad server refused it for.
 */
export async function letRun(deps: TaskDependencies, seen: MediaBuy, context: RunContext): Promise<MediaBuy | Waits> {
  const { task_id } = context.run;
  await context.commit();
  for (let buy = seen; ;) {
    if (isTerminalBuy(buy.status) || (buy.is_uncommitted !== true && !hasPart(buy, task_id)))
      return refusedOr(buy, task_id);
    const isRunning = hasPart(buy, task_id);
    const opened = isRunning ? buy : await committed(deps, buy, task_id);
    if (opened !== undefined && hasOpen(opened)) {
      const told = await deps.courier.tell(buy.media_buy_id, { own: task_id, inHand: !isRunning });
      if (told !== undefined && hasPart(told, task_id)) return waitsForAdServer(told, context);
    }
    buy = (await deps.mediaBuys.get(buy.media_buy_id)) ?? buy;
  }
}

/** The buy that may run, stored; with its run as this task's where nothing keeps it from running at once. */
async function committed(
  deps: TaskDependencies,
  buy: MediaBuy,
  task_id: MediaBuy['task_id'],
): Promise<MediaBuy | undefined> {
  const look = await deps.courier.look(buy);
  const free: MediaBuy = { ...buy, is_uncommitted: false };
  const next = settled(free, look) ?? free;
  const { open_change } = next;
  const isAtOnce = open_change?.kind === 'run' && Date.parse(next.start_time) <= look.readiness.nowMs;
  return deps.mediaBuys.replace(isAtOnce ? { ...next, open_change: { ...open_change, task_id } } : next);
}

function refusedOr(buy: MediaBuy, task_id: string): MediaBuy {
  const verdict = verdictOf(buy, task_id);
  if (verdict?.outcome === 'refused') throw errorOf(verdict);
  return buy;
}
