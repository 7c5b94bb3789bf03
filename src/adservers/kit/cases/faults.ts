import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import { Misconfigured, Unreachable } from '../../../sales/ad-server/faults.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { demand } from '../demand.ts';
import type { Stage } from '../stage.ts';
import { demandMadeOnce } from '../writes.ts';

const RETRY_AFTER_S = 7;

/** A way in which an answer is lost. */
interface Way {
  fail: () => Promise<void> | undefined;
  /** What was asked is done all the same. */
  hasEffect?: boolean;
}

/**
 * Answers that fail: cases 25 to 28. They prove what a caller is told, and that the same put afterwards gets its outcome. When
 * it is asked again, and in which order, is the caller's part: the courier's.
 */
export const FAULT_CASES: readonly CaseDefinition[] = [
  {
    number: 25,
    name: '429 with Retry-After: Unreachable until that instant (obeying it is the courier’s)',
    needs: ['fail', 'calm'],
    alsoUses: ['writes'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.world.fail?.({ status: 429, retry_after_s: RETRY_AFTER_S, times: 1 });
      const beforeMs = stage.nowMs();
      const { retryAtMs } = await unreachable(() => stage.adServer.put(order));
      const [leastMs, mostMs] = [beforeMs + (RETRY_AFTER_S - 1) * 1000, stage.nowMs() + (RETRY_AFTER_S + 1) * 1000];
      const isThen = retryAtMs !== undefined && retryAtMs >= leastMs && retryAtMs <= mostMs;
      demand(isThen, 'faults', `an instant ${RETRY_AFTER_S} s from now to ask again`, { beforeMs, retryAtMs });
      await nothingThenDone(stage, order);
    },
  },
  {
    number: 26,
    name: '429 without Retry-After: Unreachable, and no instant (when to ask again is the courier’s)',
    needs: ['fail', 'calm'],
    alsoUses: ['writes'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.world.fail?.({ status: 429, times: 1 });
      const { retryAtMs } = await unreachable(() => stage.adServer.put(order));
      demand(retryAtMs === undefined, 'faults', 'no instant, since none was told', { retryAtMs });
      await nothingThenDone(stage, order);
    },
  },
  {
    number: 27,
    name: '500, 502, a reset, half a body: Unreachable; the same put then gets its outcome, once',
    needs: ['fail', 'breakOff', 'dropAnswers', 'calm'],
    alsoUses: ['writes'],
    async run(stage) {
      const ways: readonly Way[] = [
        { fail: () => stage.world.fail?.({ status: 500, times: 1 }) },
        { fail: () => stage.world.fail?.({ status: 502, times: 1 }) },
        { fail: () => stage.world.dropAnswers?.(1), hasEffect: true },
        { fail: () => stage.world.breakOff?.(1), hasEffect: true },
      ];
      for (const { fail, hasEffect = false } of ways) {
        const order = await stage.newOrder({ lines: 2 });
        await stage.world.calm?.();
        await fail();
        const { sent } = await unreachable(() => stage.adServer.put(order));
        demand(!hasEffect || sent === 'unknown', 'faults', 'sent unknown, since it had an effect', { sent });
        const held = await stage.adServer.read(order.media_buy_id);
        demand(sent === 'unknown' || !held.found, 'faults', 'no effect where sent is no', held);
        await stage.putDone(order);
        await stage.holds(order, 'P5');
        await demandMadeOnce(stage, order);
      }
    },
  },
  {
    number: 28,
    name: '401 and 403: Misconfigured, without effect; when it is mended, the order goes on',
    needs: ['fail', 'calm'],
    alsoUses: ['writes'],
    async run(stage) {
      for (const status of [401, 403]) {
        const order = await stage.newOrder();
        await stage.world.fail?.({ status, times: 1 });
        const found = await faultOf(() => stage.adServer.put(order));
        demand(found instanceof Misconfigured, 'faults', `Misconfigured for ${status}`, found);
        await nothingThenDone(stage, order);
      }
    },
  },
];

/** What went wrong; demands that the caller hears of it as `Unreachable`. */
export async function unreachable(ask: () => Promise<unknown>): Promise<Unreachable> {
  const fault = await faultOf(ask);
  demand(fault instanceof Unreachable, 'faults', 'Unreachable', fault);
  return fault;
}

/** What was thrown, or what was answered in its place. */
async function faultOf(ask: () => Promise<unknown>): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    return error;
  }
}

async function nothingThenDone(stage: Stage, order: AdOrder): Promise<void> {
  await stage.world.calm?.();
  const held = await stage.adServer.read(order.media_buy_id);
  demand(!held.found, 'faults', 'no effect', held);
  await stage.putDone(order);
  await stage.holds(order, 'P1');
  await demandMadeOnce(stage, order);
}
