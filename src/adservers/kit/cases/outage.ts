import { HOUR_MS } from '../../../platform/hours.ts';
import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { demand } from '../demand.ts';
import { nextVersion, priced, withLine } from '../sample-order.ts';
import type { Stage } from '../stage.ts';
import { statedOf, totalOf } from '../stated.ts';
import { demandMadeOnce } from '../writes.ts';
import { unreachable } from './faults.ts';

const ORDERS = 50;
const PAUSES = 10;
const CUTS = 5;
const OUTAGE_MS = 6 * HOUR_MS;

/** Case 29. That waiting stops go first is the courier's; here they go last, and each order stands right all the same. */
export const OUTAGE_CASES: readonly CaseDefinition[] = [
  {
    number: 29,
    name: 'an outage of six hours, 50 orders, 10 pauses, 5 cuts: all stand right afterwards (stops first is the courier’s)',
    needs: ['fail', 'calm', 'deliver'],
    alsoUses: ['writes'],
    async run(stage) {
      const old: AdOrder[] = [];
      for (let n = 0; n < PAUSES + CUTS; n += 1) {
        const order = await stage.newOrder();
        await stage.putDone(order);
        old.push(order);
      }
      const fresh: AdOrder[] = [];
      while (old.length + fresh.length < ORDERS) fresh.push(await stage.newOrder());
      const pauses = old.slice(0, PAUSES).map((order) => nextVersion(order, withLine(order, 0, { state: 'paused' })));
      const cuts = old.slice(PAUSES).map(cutByATenth);
      const waiting = [...fresh, ...cuts, ...pauses];

      await stage.world.fail?.({ outage: true });
      for (const order of waiting) await unreachable(() => stage.adServer.put(order));
      await stage.pass(OUTAGE_MS);
      await stage.world.calm?.();

      const other = await stage.openAnother();
      for (const order of waiting) {
        // A put of before the outage may come late, and what was asked may be asked twice.
        await stage.putDone(order);
        await stage.putDone(order, other);
      }
      for (const order of old) {
        const stale = await stage.adServer.put(order);
        demand(stale.outcome === 'stale', 'P2', 'the version before the outage to be stale', stale);
      }
      for (const order of waiting) await demandRight(stage, order);
      await demandPausedStay(stage, pauses);
    },
  },
];

function cutByATenth(order: AdOrder): AdOrder {
  const lines = order.lines.map((line) => priced(line, line.pricing, Math.floor(line.budget_minor * 0.9)));
  return nextVersion(order, { lines });
}

async function demandRight(stage: Stage, order: AdOrder): Promise<void> {
  const { lines } = await stage.holds(order, 'P1');
  const [line] = lines;
  const shouldPause = order.lines[0]?.state === 'paused';
  demand((line?.state === 'paused') === shouldPause, 'P1', `the line to be ${order.lines[0]?.state ?? ''}`, line);
  if (order.version === 1) await demandMadeOnce(stage, order);
}

/** Demands that what was paused delivers nothing more, from the next hour on. */
async function demandPausedStay(stage: Stage, pauses: readonly AdOrder[]): Promise<void> {
  await stage.pass(2 * HOUR_MS);
  const before = await Promise.all(pauses.map(async (order) => totalOf(await statedOf(stage, order)).impressions));
  await stage.pass(3 * HOUR_MS);
  for (const [i, order] of pauses.entries()) {
    const { impressions } = totalOf(await statedOf(stage, order));
    demand(impressions === before[i], 'P4', `${before[i] ?? 0} impressions, as when it was paused`, impressions);
  }
}
