import type { Instruction, SimulatedOrder } from '../../sales/ad-server/simulated-order.ts';
import type { NativeLine, NativeOrder } from './native-order.ts';
import type { AdOrderRecord } from './order-row.ts';

/**
 * The record of an order that 0.1.0 has run, so that its flight goes on as it was. Its version is the revision of what was
 * told last. What 0.1.0 has stated by then it has also kept: nothing from before its checkpoint is stated again. Pure.
 */
export function recordOfFirst(first: SimulatedOrder): AdOrderRecord {
  const { media_buy_id, created_at, trouble, failures, instructions, settled_at, settled, reported_until } = first;
  const last = instructions.at(-1);
  const isReleased = first.released_at !== null;
  const version = Math.max(1, last?.revision ?? 1);
  const native = last === undefined ? null : nativeOf(last);
  return {
    ...{ media_buy_id, revision: 1, created_at, trouble, failures },
    last: { version, digest: null, outcome: 'done', reasons: null, pending: null },
    held: { version, order: null },
    native: native && isReleased ? { ...native, state: 'ended' } : native,
    ...{ instructions, settled_at, settled, stated_until: reported_until, restated: [] },
    carried_until: settled_at,
  };
}

function nativeOf({ state, start_time, end_time, lines }: Instruction): NativeOrder {
  const [start, end] = [start_time, end_time];
  return { name: '', start, end, state, unapproved: [], lines: lines.map((line) => nativeLine(line, { start, end })) };
}

function nativeLine(line: Instruction['lines'][number], { start, end }: { start: string; end: string }): NativeLine {
  const { package_id, seed, budget_minor, rate_minor, pricing_model: model, targeting = {}, frequency_cap } = line;
  return {
    ...{ package_id, seed, budget_minor, pricing: { model, rate_minor }, start, end, targeting },
    ...{ name: '', product_id: 'unknown', delivery_type: 'non_guaranteed', config: {}, pacing: 'even' },
    ...(frequency_cap !== undefined && { frequency_cap }),
    ...{ state: 'running', by_hand: false, creatives: [], had_creatives: line.is_serving },
  };
}
