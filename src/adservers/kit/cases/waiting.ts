import { HOUR_MS } from '../../../platform/hours.ts';
import { Unreachable } from '../../../sales/ad-server/faults.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { RuleBroken, demand, demandEqual } from '../demand.ts';
import { nextVersion, sealed, withLine } from '../sample-order.ts';
import { statedOf, totalOf } from '../stated.ts';
import { createdOf, demandMadeOnce } from '../writes.ts';

/** Longer than any case takes, in seconds. */
const HELD_S = 6 * 3600;
/** Beyond what a caller waits for an answer, in milliseconds. */
const TOO_LONG_MS = 31_000;

/** Answers that take their time: cases 20 to 24. */
export const WAITING_CASES: readonly CaseDefinition[] = [
  {
    number: 20,
    name: 'pending, then done; asked early it is pending still, and made once',
    needs: ['hold', 'deliver'],
    alsoUses: ['writes'],
    async run(stage) {
      const order = await stage.newOrder({ lines: 2 });
      await stage.world.hold?.(HELD_S);
      for (let early = 1; early <= 3; early += 1) {
        const answer = await stage.adServer.put(order);
        demand(answer.outcome === 'pending', 'P1', 'pending until it is decided', answer);
      }
      const held = await stage.adServer.read(order.media_buy_id);
      demand(!held.found || held.state !== 'running', 'P4', 'what is pending not to run', held);
      await stage.pass((HELD_S + 60) * 1000);
      const { native } = await stage.putDone(order);
      demandEqual((await stage.holds(order, 'P1')).native, native, 'P5', 'the native order that put answered');
      await demandMadeOnce(stage, order);
    },
  },
  {
    number: 21,
    name: 'pending, then refused: nothing of it ever serves',
    needs: ['hold', 'refuse', 'deliver'],
    async run(stage) {
      const order = await stage.newOrder();
      const reason = { code: 'policy', pointer: '/advertiser', message: 'this advertiser is not taken' } as const;
      await stage.world.hold?.(HELD_S);
      await stage.world.refuse?.({ media_buy_id: order.media_buy_id, reason });
      const early = await stage.adServer.put(order);
      demand(early.outcome === 'pending', 'port', 'pending until it is decided', early);
      await stage.pass((HELD_S + 60) * 1000);
      const late = await stage.putDecided(order);
      demand(late.outcome === 'refused', 'P1', 'refused, as it was decided', late);
      await stage.pass(3 * HOUR_MS);
      const held = await stage.adServer.read(order.media_buy_id);
      demand(!held.found || held.state !== 'running', 'P3', 'what was refused not to run', held);
      const rows = held.found ? await statedOf(stage, order) : [];
      demand(totalOf(rows).impressions === 0, 'P4', 'nothing to be served, before or after', rows);
    },
  },
  {
    number: 22,
    name: 'a higher version takes the place of one that is pending',
    needs: ['hold', 'calm', 'deliver'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.world.hold?.(HELD_S);
      const answer = await stage.adServer.put(order);
      demand(answer.outcome === 'pending', 'port', 'pending until it is decided', answer);
      await stage.world.calm?.();
      const paused = nextVersion(order, { state: 'paused' });
      await stage.putDone(paused);
      await stage.pass((HELD_S + 60) * 1000);
      const stale = await stage.adServer.put(order);
      demandEqual(stale, { outcome: 'stale', version: 2 }, 'P2', 'the version that was pending to be stale');
      await stage.holds(paused, 'P2');
    },
  },
  {
    number: 23,
    name: 'a put that comes after a newer one, or beside it, changes nothing (which goes first is the courier’s)',
    needs: ['delay', 'calm'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      const second = nextVersion(order, withLine(order, 0, { name: 'late' }));
      const third = sealed({ ...second, state: 'paused' }, 3);
      const other = await stage.openAnother();
      await stage.world.delay?.(1000);
      const late = stage.putDecided(second);
      const newer = await stage.putDone(third, other);
      const answer = await late;
      const isRight = answer.outcome === 'done' || (answer.outcome === 'stale' && answer.version === 3);
      demand(isRight, 'P2', 'the late one to be stale, or done before the newer one', answer);
      demandEqual((await stage.holds(third, 'P2')).native.lines, newer.native.lines, 'P2', 'the newer one to hold');
      await stage.world.calm?.();
      const again = await stage.adServer.put(second);
      demandEqual(again, { outcome: 'stale', version: 3 }, 'P2', 'the late one to be stale from now on');
      await stage.holds(third, 'P2');
    },
  },
  {
    number: 24,
    name: 'an answer after 31 s is not known, then found (asking again is the courier’s)',
    needs: ['delay', 'calm'],
    alsoUses: ['writes'],
    async run(stage) {
      const order = await stage.newOrder({ lines: 2 });
      await stage.world.delay?.(TOO_LONG_MS);
      await demandNotKnown(() => stage.adServer.put(order));
      await stage.world.calm?.();
      await stage.putDone(order, await stage.openAnother());
      await stage.holds(order, 'P5');
      const made = createdOf(await stage.world.writes?.(), order).filter(({ kind }) => kind === 'create_order');
      demand(made.length <= 1, 'P5', 'one native order', made);
    },
  },
];

/** Demands that a caller who waited 30 s is told that nothing is known, or was answered `pending` in time (P7). */
async function demandNotKnown(ask: () => Promise<{ outcome: string }>): Promise<void> {
  let answer: { outcome: string };
  try {
    answer = await ask();
  } catch (error) {
    const isUnknown = error instanceof Unreachable && error.sent === 'unknown';
    if (isUnknown) return;
    throw new RuleBroken('faults', 'Unreachable with sent unknown', error, { cause: error });
  }
  demand(answer.outcome === 'pending', 'P7', 'pending, or no answer within 30 s', answer);
}
