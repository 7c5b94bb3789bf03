import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import type { AdLine } from '../../sales/ad-server/ad-order.ts';
import type { Held } from '../../sales/ad-server/held.ts';
import type { LineState } from '../../sales/ad-server/line-state.ts';
import type { Native } from '../../sales/ad-server/native.ts';
import { isSpent } from './simulated-delivery.ts';
import type { LineTally } from './simulated-order.ts';
import { playedLine, shownCreatives } from './native-order.ts';
import type { NativeLine, NativeOrder } from './native-order.ts';
import { hasEnded } from './order-row.ts';
import type { AdOrderRecord } from './order-row.ts';
import { effectiveAt, tallyAt } from './played-order.ts';

/** What is held of a buy, at an instant of its flight, counted as of so much before. Pure. */
export function heldOf(record: AdOrderRecord, nowMs: number, lagMs: number): Held {
  const { native, held, last } = record;
  if (native === null && !hasEnded(record)) return { found: false };
  const isHalf = last?.outcome === 'making';
  return {
    found: true,
    ...(held !== null && !isHalf && { version: held.version }),
    state: isHalf && held === null ? 'draft' : orderStateOf(record),
    native: nativeIds(record),
    lines: lineStates(record, nowMs, lagMs),
    differences: isHalf ? [] : differencesOf(record),
    as_of: toTimestamp(nowMs),
  };
}

/** The simulated ad server's own ids: of an order that was ended before it was made, there are none of lines. Pure. */
export function nativeIds({ media_buy_id, native }: AdOrderRecord): Native {
  const lines = native?.lines ?? [];
  const creatives = lines.flatMap((line) => line.creatives);
  return {
    order: `sim-${media_buy_id}`,
    lines: Object.fromEntries(lines.map(({ package_id }) => [package_id, `sim-line-${package_id}`])),
    creatives: Object.fromEntries(creatives.map((one) => [one.creative_id, nativeCreativeId(one)])),
  };
}

/** The simulated ad server's own id of a creative's version. */
export function nativeCreativeId({ creative_id, version }: { creative_id: string; version: number }): string {
  return `sim-creative-${creative_id}@${version}`;
}

/** How every line stands at an instant of the flight, with counts that come so late. Pure. */
export function lineStates(record: AdOrderRecord, nowMs: number, lagMs: number): LineState[] {
  const { native, held } = record;
  const as_of = toTimestamp(nowMs);
  if (native === null) {
    const none = { state: 'ended' as const, by_hand: false, missing: [], as_of };
    return (held?.order?.lines ?? []).map(({ package_id }) => ({ package_id, ...none }));
  }
  const tallies = tallyMap(tallyAt(record, effectiveAt(record, nowMs)));
  const countedMs = Math.max(effectiveAt(record, nowMs) - lagMs, fromTimestamp(record.settled_at));
  const late = lagMs === 0 ? tallies : tallyMap(tallyAt(record, countedMs));
  return native.lines.map((line) => {
    const tally = tallies.get(line.package_id);
    const { impressions = 0, clicks = 0 } = late.get(line.package_id) ?? {};
    return {
      package_id: line.package_id,
      state: lineStateOf(line, native, tally, nowMs),
      by_hand: line.by_hand,
      missing: missingOf(line, native),
      counts: { impressions, clicks },
      as_of,
    };
  });
}

function tallyMap(tallies: readonly LineTally[]): Map<string, LineTally> {
  return new Map(tallies.map((tally) => [tally.package_id, tally]));
}

function lineStateOf(
  line: NativeLine,
  native: NativeOrder,
  tally: LineTally | undefined,
  nowMs: number,
): LineState['state'] {
  if (native.state === 'ended' || line.state === 'ended') return 'ended';
  const endMs = Math.min(fromTimestamp(line.end), fromTimestamp(native.end));
  if (nowMs >= endMs || isSpent(playedLine(line, native), tally)) return 'completed';
  if (line.state === 'paused' || native.state === 'paused') return 'paused';
  if (line.state === 'idle') return 'draft';
  const startMs = Math.max(fromTimestamp(line.start), fromTimestamp(native.start));
  const isDelivering = native.state === 'running' && nowMs >= startMs && playedLine(line, native).is_serving;
  return isDelivering ? 'delivering' : 'ready';
}

function missingOf(line: NativeLine, native: NativeOrder): LineState['missing'] {
  if (line.had_creatives ?? shownCreatives(line, native).length > 0) return [];
  return line.creatives.length > 0 ? ['approval'] : ['creatives'];
}

function orderStateOf({ native }: AdOrderRecord): Extract<Held, { found: true }>['state'] {
  if (native === null) return 'ended';
  const isArchived = native.lines.every(({ state, by_hand }) => state === 'ended' && by_hand);
  return isArchived && native.lines.length > 0 ? 'ended' : native.state;
}

const COMPARED = [
  ...(['name', 'product_id', 'delivery_type', 'config', 'pricing', 'budget_minor', 'daily_cap_minor', 'goal'] as const),
  ...(['pacing', 'start', 'end', 'state', 'targeting', 'frequency_cap', 'creatives'] as const),
];

/** Where lines stand otherwise than they were put. */
function differencesOf({ held, native }: AdOrderRecord): Extract<Held, { found: true }>['differences'] {
  if (native === null || held?.order == null || native.state === 'ended') return [];
  return held.order.lines.flatMap((ours, i) => {
    const theirs = native.lines.find(({ package_id }) => package_id === ours.package_id);
    if (theirs === undefined) return [{ pointer: `/lines/${i}`, ours, theirs: null }];
    return COMPARED.filter((field) => told(ours, field) !== told(theirs, field)).map((field) => ({
      pointer: `/lines/${i}/${field}`,
      ours: ours[field] ?? null,
      theirs: theirs[field] ?? null,
    }));
  });
}

function told(line: AdLine | NativeLine, field: (typeof COMPARED)[number]): string {
  const creatives = [...line.creatives].sort((a, b) => (a.creative_id < b.creative_id ? -1 : 1));
  return canonicalJson(field === 'creatives' ? creatives : (line[field] ?? null));
}
