import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { SimulatedOrders } from './simulated-order.ts';
import type { Instruction, SimulatedOrder } from './simulated-order.ts';
import type { Store } from '../../platform/store/collection.ts';
import { DeliveryDays, DeliveryMonths } from '../../sales/delivery/delivery-facts.ts';
import { readDelivery } from '../../sales/delivery/read-delivery.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { NativeLine, NativeOrder } from './native-order.ts';
import type { AdOrderRecord, NativeHour } from './order-row.ts';

/** So much of what 0.1.0 has stated may be asked for again, by who looks back for hours that are counted anew. */
const CARRIED_MS = 3 * DAY_MS;

/**
 * Orders that 0.1.0 has run, as records, so that their flights go on as they were. The version of one is the revision of what
 * was told last. 0.1.0 forgot hours once they were recorded: the last days of them are read from the seller's own facts.
 */
export function createFirstOrders(store: Store): (media_buy_id: MediaBuyId) => Promise<AdOrderRecord | undefined> {
  const orders = store.collection(SimulatedOrders);
  const facts = { days: store.collection(DeliveryDays), months: store.collection(DeliveryMonths) };
  return async (media_buy_id) => {
    const first = await orders.get(media_buy_id);
    if (first === undefined) return undefined;
    const untilMs = fromTimestamp(first.settled_at);
    const recorded = await readDelivery(facts, media_buy_id, { fromMs: untilMs - CARRIED_MS, untilMs }, 'hour');
    const carried = recorded.map(({ package_id, fromMs, impressions, clicks, spend_minor }) => {
      return { package_id, hour: toTimestamp(fromMs), impressions, clicks, spend_minor };
    });
    return recordOfFirst(first, carried);
  };
}

function recordOfFirst(first: SimulatedOrder, carried: NativeHour[]): AdOrderRecord {
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
    carried,
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
