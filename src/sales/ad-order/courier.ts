import { toTimestamp } from '../../platform/clock.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { AdOrder } from '../ad-server/ad-order.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { namesCreatives } from '../media-buy/readiness.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import { IN_HAND_MS, ORDERS_AT_ONCE } from './courier-dependencies.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { awaitsCounts } from './budget-cut.ts';
import { countCut } from './count-cut.ts';
import { heard } from './hear.ts';
import type { Decision } from './hear.ts';
import { isHeldUp } from './held-up.ts';
import { lookAt } from './look-at.ts';
import { noteAnswer } from './notes.ts';
import { hasOpen, hasPart } from './open.ts';
import { dueAt, orderToTell } from './order-to-tell.ts';
import { mustLetPass } from './precedence.ts';
import { isPutOff, putOrder } from './put-order.ts';
import { committed, settled, withoutWithdrawn } from './settled.ts';
import { writeNext } from './write-next.ts';
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
   * @throws what `commit` throws: then the answer is not written down.
   */
  tell(media_buy_id: MediaBuyId, options?: Telling): Promise<MediaBuy | undefined>;
  /** See `isHeldUp`. */
  isHeldUp(buy: MediaBuy): Promise<boolean>;
  /** Tells all that is due, stops first. Answers how many. */
  tellDue(): Promise<number>;
}

export interface Telling {
  /** The task whose turn this is, and that is not to be woken. */
  own?: TaskId;
  /** The caller has just opened a change. */
  inHand?: boolean;
  /** The buy as the caller has just written it, with a change opened. */
  written?: MediaBuy;
  /**
   * Passes the point of no return of `own`, which makes this buy: called once the ad server holds it, if nobody else is to
   * be asked, so that the write which says so lets it run as well.
   */
  commit?: () => Promise<void>;
}

export function createCourier(deps: CourierDependencies): Courier {
  const { mediaBuys, clock, log, breaker } = deps;

  async function tell(media_buy_id: MediaBuyId, telling: Telling = {}) {
    const { own } = telling;
    let isInHand = telling.inHand === true || telling.written !== undefined;
    /** It was planned here, a moment ago. */
    let isNew = false;
    let { written } = telling;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const buy = written ?? (await mediaBuys.get(media_buy_id));
      written = undefined;
      const order = buy && orderToTell(buy);
      if (buy === undefined) return undefined;
      if (order === undefined && awaitsCounts(buy)) {
        if (!(await take(deps, buy))) return buy;
        await countCut(deps, buy, own);
        isInHand = true;
        continue;
      }
      if (order === undefined) {
        const next = settled(buy, await lookAt(deps, buy));
        if (next === undefined) return buy;
        isInHand = (await mediaBuys.replace(next, buy)) !== undefined && orderToTell(next) !== undefined;
        isNew = isInHand;
        continue;
      }
      const health = await breaker.read();
      if (await mustLetPass(deps, buy.order_urgency ?? 0, health)) {
        if (isInHand) await dueAt(deps, order, clock.now());
        return await mediaBuys.get(media_buy_id);
      }
      if (!isInHand && !(await isLeft(deps, buy, own)) && !(await take(deps, buy))) return buy;
      isInHand = true;
      if (!isNew && (await pauseWithdrawn(deps, order))) continue;
      const answer = await putOrder(deps, order, health);
      if (answer === undefined) return await mediaBuys.get(media_buy_id);
      written = await writeDown(deps, buy, { order, answer, telling });
      isNew = true;
      if (await isPutOff(deps, buy, order, answer)) return await mediaBuys.get(media_buy_id);
      // What was written was looked at for that; the creatives of a buy may have come to stand otherwise meanwhile.
      if (written !== undefined && !hasOpen(written) && !namesCreatives(written)) return written;
    }
    return await mediaBuys.get(media_buy_id);
  }

  return {
    look: (buy) => lookAt(deps, buy),
    tell,
    isHeldUp: (buy) => isHeldUp(deps, buy),
    async tellDue() {
      const now = toTimestamp(clock.now());
      const isAnyDue = await mediaBuys.find({ where: { order_due_at: { gt: '', lte: now } }, limit: 1 });
      if (isAnyDue.rows.length === 0 || (await breaker.isOpen())) return 0;
      let told = 0;
      for (const order_urgency of [0, 1, 2]) {
        if (await mustLetPass(deps, order_urgency, await breaker.read())) return told;
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
    await eachAtOnce(rows, ORDERS_AT_ONCE, async ({ media_buy_id }) => {
      await tell(media_buy_id).catch((error: unknown) => {
        log.warn({ err: error, media_buy_id }, 'an order could not be told; trying again');
      });
    });
    return rows.length;
  }
}

/**
 * Whether a task finds its own order told by nobody that it knows of, and answered with no fault: the process that had it in hand
 * may have died. Telling it twice does no harm.
 */
async function isLeft({ adOrders }: CourierDependencies, buy: MediaBuy, own: TaskId | undefined): Promise<boolean> {
  if (own === undefined || !hasPart(buy, own)) return false;
  return ((await adOrders.get(buy.media_buy_id))?.last_fault ?? null) === null;
}

/** Before an order that has waited is told: whether one of its creatives was withdrawn meanwhile, and it is to be looked at anew. */
async function pauseWithdrawn(deps: CourierDependencies, { media_buy_id, version, state }: AdOrder): Promise<boolean> {
  const buy = state === 'running' ? await deps.mediaBuys.get(media_buy_id) : undefined;
  if (buy === undefined || orderToTell(buy)?.version !== version) return false;
  const next = withoutWithdrawn(buy, await lookAt(deps, buy));
  if (next !== undefined) await deps.mediaBuys.replace(next, buy);
  return next !== undefined;
}

/** Takes an order in hand that is due; false when it is not, or another has taken it. */
async function take({ mediaBuys, clock, breaker }: CourierDependencies, buy: MediaBuy): Promise<boolean> {
  const nowMs = clock.now();
  if ((buy.order_due_at ?? '') > toTimestamp(nowMs) || (await breaker.isOpen())) return false;
  const order_due_at = toTimestamp(nowMs + IN_HAND_MS);
  const version = orderToTell(buy)?.version;
  const outcome = await mediaBuys.update(buy.media_buy_id, (now) =>
    now.order_due_at === buy.order_due_at && orderToTell(now)?.version === version
      ? { ...now, order_due_at }
      : undefined,
  );
  return outcome?.changed === true;
}

/**
 * Writes what the ad server decided into the buy, along with what follows from it, and tells those who wait for it. Answers the
 * buy as written; nothing when the answer says nothing of what is open now.
 */
async function writeDown(
  deps: CourierDependencies,
  told: MediaBuy,
  { order, answer: decision, telling: { own, commit } }: { order: AdOrder; answer: Decision; telling: Telling },
): Promise<MediaBuy | undefined> {
  const { media_buy_id, version } = order;
  let isNoted = false;
  const written = await writeNext(deps, told, {
    own,
    next: async (buy, look) => {
      const answered = heard(buy, version, decision, look);
      const commits = answered !== undefined && own !== undefined && isBooked(buy, answered) ? commit : undefined;
      // Before the buy says that it holds, there is a row that has it looked at, and its task is past the point of no return.
      await Promise.all([isNoted ? undefined : noteAnswer(deps, order, decision), commits?.()]);
      isNoted = true;
      if (answered === undefined) return undefined;
      const quiet = settled(answered, look) ?? answered;
      return commits === undefined || own === undefined ? quiet : committed(quiet, own, look);
    },
  });
  if (written === undefined) return undefined;
  const { status, pending_reason } = written;
  deps.log.info(
    { media_buy_id, version, outcome: decision.outcome, status, pending_reason },
    'the ad server has answered',
  );
  return written;
}

/** Whether an answer has made a buy what is held for it, with nobody left to ask. */
function isBooked(before: MediaBuy, { open_change, pending_reason, status }: MediaBuy): boolean {
  const isHeld = before.open_change?.kind === 'hold' && open_change === null;
  return isHeld && pending_reason !== 'approval' && !isTerminalBuy(status);
}
