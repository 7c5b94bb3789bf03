import type { AdOrder } from '../ad-server/ad-order.ts';
import type { PutAnswer } from '../ad-server/put-answer.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { AdServerHealth } from './breaker.ts';
import { IN_HAND_MS } from './courier-dependencies.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import type { Decision } from './hear.ts';
import { noteAnswer, noteFault } from './notes.ts';
import { dueAt } from './order-to-tell.ts';
import { nextTryMs } from './patience.ts';
import { refusalOfReasons } from './refusal.ts';

/** Puts an order; undefined when it has to wait, which is noted. `health`: of the ad server, read a moment ago. */
export async function putOrder(
  deps: CourierDependencies,
  order: AdOrder,
  health: AdServerHealth | undefined,
): Promise<Decision | undefined> {
  const { adServer, breaker, clock, chance } = deps;
  let answer: PutAnswer;
  try {
    if (health?.state === 'open') {
      // Not longer: when the breaker closes just now, what is less urgent must still see that this waits.
      await dueAt(deps, order, clock.now() + IN_HAND_MS);
      return undefined;
    }
    answer = await keptInHand(deps, order, () => adServer.put(order));
  } catch (error) {
    await breaker.failed(error);
    const faults = await noteFault(deps, order, error);
    await dueAt(deps, order, nextTryMs(error, faults, clock.now(), chance()));
    return undefined;
  }
  await breaker.answered();
  if (answer.outcome !== 'pending') return answer;
  await noteAnswer(deps, order, answer);
  await dueAt(deps, order, Math.max(clock.now() + 1_000, Date.parse(answer.ask_again_at)));
  return undefined;
}

/** Puts off a stop that was refused and must hold, as after a fault; false for any other answer. */
export async function isPutOff(
  deps: CourierDependencies,
  { media_buy_id, currency, stop }: MediaBuy,
  { version }: AdOrder,
  decision: Decision,
): Promise<boolean> {
  if (decision.outcome !== 'refused' || stop?.order.version !== version) return false;
  const next = (await deps.mediaBuys.get(media_buy_id))?.stop;
  if (!next) return false;
  const refusal = refusalOfReasons(decision.reasons, currency);
  const faults = await noteFault(deps, next.order, refusal);
  await dueAt(deps, next.order, nextTryMs(refusal, faults, deps.clock.now(), deps.chance()));
  return true;
}

/** Does a call that others are to wait for however long it takes, as long as this process lives. */
async function keptInHand<T>(deps: CourierDependencies, order: AdOrder, call: () => Promise<T>): Promise<T> {
  let keeping: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // Where the store does not answer it is told twice, which does no harm.
    const keep = () => dueAt(deps, order, deps.clock.now() + IN_HAND_MS);
    keeping = keeping.then(keep).catch(() => undefined);
  }, IN_HAND_MS / 3);
  try {
    return await call();
  } finally {
    clearInterval(timer);
    await keeping;
  }
}
