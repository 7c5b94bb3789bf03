import { toTimestamp } from '../../platform/clock.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { AdOrder } from '../ad-server/ad-order.ts';
import type { PutAnswer } from '../ad-server/put-answer.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { IN_HAND_MS } from './courier-dependencies.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { heard } from './hear.ts';
import type { Decision } from './hear.ts';
import { eachAtOnce } from './at-once.ts';
import { lookAt } from './look-at.ts';
import { noteAnswer, noteFault } from './notes.ts';
import { hasPart } from './open.ts';
import { nextTryMs } from './patience.ts';
import { mustLetPass } from './precedence.ts';
import { settled } from './settled.ts';
import { newlyDecided } from './verdict.ts';
import type { Planning } from './open.ts';

/** Orders looked at in one go. */
const BATCH = 200;
/** Versions of one buy that are told in one go before others have their turn. */
const MAX_ROUNDS = 10;

/**
 * Brings orders to the ad server, and writes down in the buy what it answers. What is owed stands in the buy's row: every
 * worker tells what is due, several at once do no harm, and a crash anywhere costs time only.
 */
export interface Courier {
  /** What a buy is planned with, for whoever opens a change; see `Planning`. */
  look(buy: MediaBuy): Promise<Planning>;
  /**
   * Tells the ad server what the buy owes it, until nothing is owed or it must wait. Answers the buy as it then stands.
   * @param own The task whose turn this is, and that is not to be woken. `inHand`: the caller has just opened a change.
   */
  tell(media_buy_id: MediaBuyId, options?: { own?: TaskId; inHand?: boolean }): Promise<MediaBuy | undefined>;
  /** Tells all that is due, stops first. Answers how many. */
  tellDue(): Promise<number>;
}

export function createCourier(deps: CourierDependencies): Courier {
  const { mediaBuys, clock, log, breaker } = deps;

  async function tell(media_buy_id: MediaBuyId, { own, inHand = false }: { own?: TaskId; inHand?: boolean } = {}) {
    let isInHand = inHand;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const buy = await mediaBuys.get(media_buy_id);
      const order = buy && orderToTell(buy);
      if (buy === undefined) return undefined;
      if (order === undefined) {
        const next = settled(buy, await lookAt(deps, buy));
        if (next === undefined) return buy;
        isInHand = (await mediaBuys.replace(next)) !== undefined && orderToTell(next) !== undefined;
        continue;
      }
      if (await mustLetPass(deps, buy.order_urgency ?? 0)) {
        if (isInHand) await dueAt(deps, order, clock.now());
        return await mediaBuys.get(media_buy_id);
      }
      if (!isInHand && !(await isLeft(deps, buy, own)) && !(await take(deps, buy))) return buy;
      isInHand = true;
      const answer = await put(deps, order);
      if (answer === undefined) return await mediaBuys.get(media_buy_id);
      await writeDown(deps, buy, order, answer, own);
    }
    return await mediaBuys.get(media_buy_id);
  }

  return {
    look: (buy) => lookAt(deps, buy),
    tell,
    async tellDue() {
      const now = toTimestamp(clock.now());
      const isAnyDue = await mediaBuys.find({ where: { order_due_at: { gt: '', lte: now } }, limit: 1 });
      if (isAnyDue.rows.length === 0 || (await breaker.isOpen())) return 0;
      let told = 0;
      for (const order_urgency of [0, 1, 2]) {
        if (await mustLetPass(deps, order_urgency)) return told;
        told += await tellAll(order_urgency, now);
      }
      return told;
    },
  };

  async function tellAll(order_urgency: number, now: string): Promise<number> {
    const { rows } = await mediaBuys.find({
      where: { order_urgency, order_due_at: { gt: '', lte: now } },
      sort: { field: 'order_due_at', direction: 'asc' },
      limit: BATCH,
    });
    await eachAtOnce(rows, async ({ media_buy_id }) => {
      await tell(media_buy_id).catch((error: unknown) => {
        log.warn({ err: error, media_buy_id }, 'an order could not be told; trying again');
      });
    });
    return rows.length;
  }
}

/** What the buy owes the ad server to be told: a stop before anything else. */
function orderToTell({ stop, open_change }: MediaBuy): AdOrder | undefined {
  return stop?.order ?? open_change?.order ?? undefined;
}

/**
 * Whether a task finds its own order told by nobody that it knows of, and answered with no fault: the process that had it in hand
 * may have died. Telling it twice does no harm.
 */
async function isLeft({ adOrders }: CourierDependencies, buy: MediaBuy, own: TaskId | undefined): Promise<boolean> {
  if (own === undefined || !hasPart(buy, own)) return false;
  return ((await adOrders.get(buy.media_buy_id))?.last_fault ?? null) === null;
}

/** Takes an order in hand that is due; false when it is not, or another has taken it. */
async function take({ mediaBuys, clock, breaker }: CourierDependencies, buy: MediaBuy): Promise<boolean> {
  const nowMs = clock.now();
  if ((buy.order_due_at ?? '') > toTimestamp(nowMs) || (await breaker.isOpen())) return false;
  return (await mediaBuys.replace({ ...buy, order_due_at: toTimestamp(nowMs + IN_HAND_MS) })) !== undefined;
}

/** Puts an order; undefined when it has to wait, which is noted. */
async function put(deps: CourierDependencies, order: AdOrder): Promise<Decision | undefined> {
  const { adServer, breaker, clock, chance } = deps;
  let answer: PutAnswer;
  try {
    if (await breaker.isOpen()) {
      await dueAt(deps, order, clock.now() + IN_HAND_MS);
      return undefined;
    }
    answer = await adServer.put(order);
  } catch (error) {
    await breaker.failed(error);
    const faults = await noteFault(deps, order, error);
    await dueAt(deps, order, nextTryMs(error, faults, clock.now(), chance()));
    return undefined;
  }
  await breaker.answered();
  await noteAnswer(deps, order, answer);
  if (answer.outcome !== 'pending') return answer;
  await dueAt(deps, order, Math.max(clock.now() + 1_000, Date.parse(answer.ask_again_at)));
  return undefined;
}

/** When this version is told again, if it is still what is owed. */
async function dueAt(
  { mediaBuys }: CourierDependencies,
  { media_buy_id, version }: AdOrder,
  ms: number,
): Promise<void> {
  const order_due_at = toTimestamp(ms);
  await mediaBuys.update(media_buy_id, (buy) =>
    orderToTell(buy)?.version === version ? { ...buy, order_due_at } : undefined,
  );
}

/** Writes what the ad server decided into the buy, along with what follows from it, and tells those who wait for it. */
async function writeDown(
  deps: CourierDependencies,
  seen: MediaBuy,
  { version }: AdOrder,
  decision: Decision,
  own: TaskId | undefined,
): Promise<void> {
  const { mediaBuys, log } = deps;
  const { media_buy_id } = seen;
  for (;;) {
    const buy = await mediaBuys.get(media_buy_id);
    if (buy === undefined) return;
    const look = await lookAt(deps, buy);
    const next = heard(buy, version, decision, look);
    if (next === undefined) return;
    const written = await mediaBuys.replace(settled(next, look) ?? next);
    if (written === undefined) continue;
    const { status, pending_reason } = written;
    log.info(
      { media_buy_id, version, outcome: decision.outcome, status, pending_reason },
      'the ad server has answered',
    );
    for (const task_id of newlyDecided(buy, written)) {
      if (task_id !== own) await deps.wakeTask(task_id);
    }
    if (status !== buy.status || pending_reason !== buy.pending_reason) await deps.onMoved(media_buy_id);
    return;
  }
}
