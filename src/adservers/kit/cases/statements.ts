import { fromTimestamp } from '../../../platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../../platform/hours.ts';
import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import { Broken } from '../../../sales/ad-server/faults.ts';
import type { Statement } from '../../../sales/ad-server/statement.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { demand, demandEqual } from '../demand.ts';
import { sealed } from '../sample-order.ts';
import { at } from '../stage.ts';
import type { Stage } from '../stage.ts';
import { stated, statedOf, statedPages } from '../stated.ts';
import { untruthsIn } from '../untruths.ts';
import type { WorldLie } from '../world.ts';
import { nextClockChangeMs } from './clock-change.ts';

const MINUTE_MS = 60_000;
const LIES: readonly WorldLie[] = ['negative', 'future', 'foreign', 'going_back', 'thousandfold'];

/** Statements: cases 37 and 38. */
export const STATEMENT_CASES: readonly CaseDefinition[] = [
  {
    number: 37,
    name: 'statements: each hour once, restated, late, empty, on its grain, and over a change of the clocks',
    needs: ['deliver', 'restate'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      const createdMs = floorBucket(stage, fromTimestamp(order.created_at));
      const before = await stated(stage, [order], { fromMs: createdMs - 5 * HOUR_MS, untilMs: createdMs - HOUR_MS });
      demandEqual(before.rows, [], 'statements', 'no hour before the flight');
      await stage.pass(8.25 * HOUR_MS + stage.description.statements.delay_minutes * MINUTE_MS);
      const rows = await demandEachHourOnce(stage, order, createdMs);
      await demandRestated(stage, order, { createdMs, rows });
      await demandOverClockChange(stage);
    },
  },
  {
    number: 38,
    name: 'a statement that lies arrives as it is, or is Broken: nothing is mended on the way (that none is recorded is the book’s)',
    needs: ['deliver', 'lie', 'calm'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      await stage.pass(6 * HOUR_MS + stage.description.statements.delay_minutes * MINUTE_MS);
      const fromMs = floorBucket(stage, fromTimestamp(order.created_at));
      const time = { fromMs, untilMs: stage.flightMs(order) };
      const truth = await stated(stage, [order], time);
      demand(truth.rows.length > 0, 'statements', 'hours to lie about', truth.rows);
      const known = { order, rows: truth.rows, completeUntilMs: truth.completeUntilMs(order), nowMs: time.untilMs };
      for (const lie of LIES) {
        await stage.world.lie?.(lie);
        const found = await lieTold(stage, order, { ...time, untilMs: time.untilMs + DAY_MS }, known);
        demand(found === 'Broken' || found.includes(lie), 'statements', `Broken, or the lie “${lie}” as it is`, found);
        await stage.world.calm?.();
        const { rows } = await stated(stage, [order], time);
        demandEqual(rows.slice(0, truth.rows.length), truth.rows, 'statements', 'the truth again afterwards');
      }
    },
  },
];

/** The first instant of the bucket that an instant is in. */
function floorBucket({ description }: Stage, ms: number): number {
  const offsetMs = description.statements.offset_minutes * MINUTE_MS;
  return Math.floor((ms - offsetMs) / HOUR_MS) * HOUR_MS + offsetMs;
}

async function demandEachHourOnce(stage: Stage, order: AdOrder, fromMs: number): Promise<Statement['rows']> {
  const nowMs = stage.flightMs(order);
  const whole = await stated(stage, [order], { fromMs, untilMs: nowMs });
  const completeMs = whole.completeUntilMs(order);
  // Its clock may be a little before ours.
  demand(
    completeMs <= stage.flightMs(order) + MINUTE_MS,
    'statements',
    'no hour complete before it is over',
    at(completeMs),
  );
  const dueMs = floorBucket(stage, nowMs - stage.description.statements.delay_minutes * MINUTE_MS);
  demand(completeMs >= dueMs, 'statements', `complete until ${at(dueMs)}, with the described delay`, at(completeMs));
  const complete = whole.rows.filter(({ hour }) => fromTimestamp(hour) < completeMs);
  const hours = new Set(complete.map(({ hour }) => hour));
  demand(hours.size >= 7, 'statements', 'every whole hour of a line that delivers', complete);
  // As two questions, and again: the same hours.
  const middleMs = fromMs + 3 * HOUR_MS;
  const first = await stated(stage, [order], { fromMs, untilMs: middleMs });
  const second = await stated(stage, [order], { fromMs: middleMs, untilMs: completeMs });
  demandEqual(
    [...first.rows, ...second.rows].map(rowKey).sort(),
    complete.map(rowKey).sort(),
    'statements',
    'the same',
  );
  const backwards = await stated(stage, [order], { fromMs, untilMs: completeMs });
  demand(backwards.completeUntilMs(order) >= middleMs, 'statements', 'complete_until not to go back', at(middleMs));
  return complete;
}

async function demandRestated(
  stage: Stage,
  order: AdOrder,
  { createdMs, rows }: { createdMs: number; rows: Statement['rows'] },
): Promise<void> {
  const time = { fromMs: createdMs, untilMs: stage.flightMs(order) };
  const finalMs = (await stated(stage, [order], time)).finalUntilMs(order) ?? -Infinity;
  const chosen = rows.findLast(({ hour }) => fromTimestamp(hour) >= finalMs);
  if (chosen === undefined) return;
  const { media_buy_id, package_id, hour, counts } = chosen;
  const otherwise = { ...counts, impressions: counts.impressions + 7 };
  await stage.world.restate?.({ media_buy_id, package_id, hour, counts: otherwise });
  const after = await stated(stage, [order], time);
  const restated = after.rows.filter((row) => row.package_id === package_id && row.hour === hour);
  const impressions = restated.reduce((sum, row) => sum + row.counts.impressions, 0);
  demand(
    impressions === otherwise.impressions,
    'statements',
    `${otherwise.impressions} impressions as restated`,
    after,
  );
  const isOther = (row: Statement['rows'][number]) => row.hour !== hour;
  const [others, asBefore] = [after.rows.filter(isOther), rows.filter(isOther)];
  demandEqual(others.slice(0, asBefore.length), asBefore, 'statements', 'the other hours as they were');
}

/** Where the ad server's zone changes its clocks: no bucket is missing or comes twice on that day. */
async function demandOverClockChange(stage: Stage): Promise<void> {
  const order = await stage.newOrder();
  const changeMs = nextClockChangeMs(stage.description.statements.time_zone, stage.flightMs(order) + DAY_MS);
  if (changeMs === undefined) return;
  const [start, end] = [at(changeMs - 12 * HOUR_MS), at(changeMs + 12 * HOUR_MS)];
  const lines = order.lines.map((line) => ({ ...line, start, end }));
  const flight = sealed({ ...order, start, end, lines }, 1);
  await stage.putDone(flight);
  await stage.pass(changeMs - stage.flightMs(order) + DAY_MS + stage.description.statements.delay_minutes * MINUTE_MS);
  const rows = await statedOf(stage, flight);
  const served = rows.filter(({ counts }) => counts.impressions > 0);
  const hours = new Set(served.map(({ hour }) => fromTimestamp(hour)));
  const span = (Math.max(...hours) - Math.min(...hours)) / HOUR_MS + 1;
  const found = [...hours].map(at);
  demand(hours.size === span, 'statements', `no gap in the ${span} buckets where the clocks change`, found);
  demand(hours.size >= 24, 'statements', '24 buckets or more in a day whose clocks change', found);
}

function rowKey(row: Statement['rows'][number]): string {
  const { media_buy_id, package_id, creative_id, hour, counts, spend_minor } = row;
  return JSON.stringify([media_buy_id, package_id, creative_id, hour, counts.impressions, counts.clicks, spend_minor]);
}

/** How a lie reaches the caller: as a fault, or in the statement itself. */
async function lieTold(
  { adServer }: Stage,
  order: AdOrder,
  time: { fromMs: number; untilMs: number },
  known: Parameters<typeof untruthsIn>[1],
): Promise<'Broken' | WorldLie[]> {
  try {
    const { pages } = await statedPages(adServer, [order], time);
    return [...untruthsIn(pages, known)];
  } catch (error) {
    if (error instanceof Broken) return 'Broken';
    throw error;
  }
}
