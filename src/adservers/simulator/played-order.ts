import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { simulate } from './simulated-delivery.ts';
import type { Instruction, LineTally } from './simulated-order.ts';
import { playedLine } from './native-order.ts';
import type { NativeOrder } from './native-order.ts';
import type { AdOrderRecord } from './order-row.ts';

/** From when a change holds: now, and never for a time that has been stated already. Milliseconds of the flight. */
export function effectiveAt({ stated_until, instructions }: AdOrderRecord, nowMs: number): number {
  const last = instructions.at(-1);
  return Math.max(nowMs, fromTimestamp(stated_until), last === undefined ? 0 : fromTimestamp(last.at));
}

/** What each line has come to by an instant of the flight that is not before what is settled. Pure. */
export function tallyAt(record: AdOrderRecord, atMs: number): LineTally[] {
  const from = { atMs: fromTimestamp(record.settled_at), tallies: record.settled };
  return simulate(record, from, atMs).tallies;
}

/** The record once its delivery follows what stands natively, from an instant on. Pure. */
export function followNative(record: AdOrderRecord, version: number, atMs: number): AdOrderRecord {
  const { native, instructions } = record;
  if (native === null) return record;
  const last = instructions.at(-1);
  const wanted = { at: toTimestamp(atMs), revision: version, ...playedOrder(native) };
  if (last === undefined ? native.state !== 'running' : deliversAlike(last, wanted)) return record;
  // One that held for no time at all never mattered.
  const before = last?.at === wanted.at ? instructions.slice(0, -1) : instructions;
  return { ...record, instructions: [...before, wanted] };
}

function playedOrder(native: NativeOrder): Pick<Instruction, 'state' | 'start_time' | 'end_time' | 'lines'> {
  const { state, start: start_time, end: end_time } = native;
  return { state, start_time, end_time, lines: native.lines.map((line) => playedLine(line, native)) };
}

/** Whether two instructions deliver the same: then the later one begins nothing, and no hour is cut in two by it. */
function deliversAlike(last: Instruction, wanted: Instruction): boolean {
  if (last.state !== 'running' && wanted.state !== 'running') return true;
  const told = ({ state, start_time, end_time, lines }: Instruction) =>
    JSON.stringify([
      ...[state, start_time, end_time],
      ...lines.flatMap((line) => [line.package_id, line.seed, line.budget_minor, line.rate_minor]),
      ...lines.flatMap((line) => [line.pricing_model, line.is_serving, line.pacing ?? 'even']),
      ...lines.flatMap((line) => [line.start_time ?? start_time, line.end_time ?? end_time]),
      ...lines.map((line) => line.daily_cap_minor ?? null),
    ]);
  return told(last) === told(wanted);
}
