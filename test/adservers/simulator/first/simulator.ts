import { fromTimestamp, toTimestamp } from '../../../../src/platform/clock.ts';
import type { Clock } from '../../../../src/platform/clock.ts';
import { canonicalJson } from '../../../../src/platform/crypto/canonical-json.ts';
import type { Collection, Store } from '../../../../src/platform/store/collection.ts';
import { ceilHour, DAY_MS, floorHour } from '../../../../src/platform/hours.ts';
import { formatMoneyText } from '../../../../src/platform/money.ts';
import type { FlightClock } from '../../../../src/sales/flight/flight-clock.ts';
import type { FirstAdOrder, FirstAdServer, DeliveryReport } from './first-port.ts';
import { isSpent, simulate } from '../../../../src/adservers/simulator/simulated-delivery.ts';
import { SimulatedOrders } from '../../../../src/adservers/simulator/simulated-order.ts';
import type { Instruction, LineTally, SimulatedOrder } from '../../../../src/adservers/simulator/simulated-order.ts';
import { troubleIn } from '../../../../src/adservers/simulator/simulated-trouble.ts';

/** How late data comes with `sim-delay`, and how long after the end a correction may come. */
const LATE_MS = DAY_MS;
/** How often a reservation with `sim-fail` breaks down. */
const FAILURES = 2;

export interface SimulatorDependencies {
  store: Store;
  clock: Clock;
  flightClock: FlightClock;
  /** What all chance is drawn from. */
  seed?: string;
}

/**
 * The embedded ad server (`docs/decisions/0014-simulated-ad-server.md`): keeps orders durably and delivers them hour by
 * hour, the same for the same orders, instructions and seed.
 */
export function createSimulator({
  store,
  clock,
  flightClock,
  seed = 'northlight',
}: SimulatorDependencies): FirstAdServer {
  const orders = store.collection(SimulatedOrders);
  return {
    async reserve(order) {
      const row = newOrder(order, seed);
      await orders.insert(row);
      const stored = (await orders.get(order.media_buy_id)) ?? row;
      if (stored.released_at !== null) return { reserved: false, reason: 'the order has been released' };
      if (stored.trouble.includes('reject')) return { reserved: false, reason: 'no inventory is left in this flight' };
      await failAsTold(orders, stored);
      return { reserved: true, order_id: stored.order_id };
    },
    async apply(order) {
      let refusal: string | undefined;
      await orders.update(order.media_buy_id, (stored) => {
        refusal = undefined;
        const last = stored.instructions.at(-1);
        if (stored.released_at !== null || last?.state === 'ended' || (last?.revision ?? 0) > order.revision) {
          return undefined;
        }
        const wanted = { ...instructionOf(order, seed), at: effectiveAt(stored, flightClock.now(order)) };
        if (last !== undefined && isSame(last, wanted)) {
          const { revision, lines } = wanted;
          return last.revision === revision && isTargetedAlike(last, wanted)
            ? undefined
            : withLast(stored, { ...last, revision, lines });
        }
        refusal = refusalOf(stored, order);
        if (refusal !== undefined) return undefined;
        return { ...stored, instructions: [...stored.instructions, wanted] };
      });
      return refusal === undefined ? { applied: true } : { applied: false, reason: refusal };
    },
    async release(media_buy_id) {
      const released_at = toTimestamp(clock.now());
      const blank = { media_buy_id, buyer_ref: '', revision: 1, created_at: released_at, start_time: released_at };
      const none = { ...newOrder({ ...blank, end_time: released_at, state: 'ended', lines: [] }, seed), released_at };
      // The row stands even if nothing was reserved, so that a reservation still under way finds it and is refused.
      const { inserted } = await orders.insert(none);
      if (inserted) return;
      await orders.update(media_buy_id, (order) => {
        if (order.released_at !== null) return undefined;
        const last = order.instructions.at(-1);
        const ended = last && { ...last, state: 'ended' as const, at: effectiveAt(order, flightClock.now(order)) };
        return { ...order, released_at, instructions: [...order.instructions, ...(ended ? [ended] : [])] };
      });
    },
    async deliver(media_buy_id, fromMs, untilMs) {
      let report: DeliveryReport = {
        untilMs: fromMs,
        hours: [],
        corrections: [],
        ...{ is_delayed: false, is_spent: false, is_final: false },
      };
      await orders.update(media_buy_id, (stored) => {
        const reported = reportOn(stored, { fromMs, untilMs, nowMs: flightClock.now(stored) });
        report = reported.report;
        return reported.order;
      });
      return report;
    },
  };
}

/** The report, and the order with what the caller has recorded settled. Pure. */
function reportOn(
  stored: SimulatedOrder,
  { fromMs, untilMs, nowMs }: { fromMs: number; untilMs: number; nowMs: number },
): { report: DeliveryReport; order: SimulatedOrder } {
  const last = stored.instructions.at(-1);
  const endedMs = last?.state === 'ended' ? fromTimestamp(last.at) : undefined;
  const isLate = stored.trouble.includes('delay');
  const knownMs = endedMs === undefined || isLate ? floorHour(isLate ? nowMs - LATE_MS : nowMs) : Infinity;
  // Everything before the settled instant has been recorded, by this caller or by another that came first.
  const atMs = Math.max(fromMs, fromTimestamp(stored.settled_at));
  const toMs = Math.max(atMs, Math.min(untilMs, knownMs));
  const settled = settle(stored, atMs);
  const { hours, corrections, tallies } = simulate(stored, { atMs, tallies: settled }, toMs);
  const reported_until = toTimestamp(Math.max(toMs, fromTimestamp(stored.reported_until)));
  const lagMs = stored.trouble.includes('correct') ? LATE_MS : 0;
  const is_final = endedMs !== undefined && toMs >= ceilHour(endedMs) + lagMs;
  const lines = last?.lines ?? [];
  const tallyOf = (package_id: string) => tallies.find((tally) => tally.package_id === package_id);
  return {
    report: {
      untilMs: toMs,
      hours,
      corrections,
      is_delayed:
        isLate && !is_final && toMs < untilMs && fromTimestamp(last?.start_time ?? stored.created_at) < untilMs,
      is_spent: lines.length > 0 && lines.every((line) => isSpent(line, tallyOf(line.package_id))),
      is_final,
    },
    order: {
      ...stored,
      reported_until,
      settled_at: toTimestamp(atMs),
      settled,
      instructions: stored.instructions.filter((_, i) => {
        const next = stored.instructions[i + 1];
        return next === undefined || fromTimestamp(next.at) > atMs;
      }),
    },
  };
}

/** The tallies at an instant that the caller has recorded up to. */
function settle(stored: SimulatedOrder, atMs: number): LineTally[] {
  const from = { atMs: fromTimestamp(stored.settled_at), tallies: stored.settled };
  return simulate(stored, from, atMs).tallies;
}

/** Why the order cannot be run so, if it cannot: a budget that what was reported has gone over. */
function refusalOf(stored: SimulatedOrder, order: FirstAdOrder): string | undefined {
  const tallies = settle(stored, fromTimestamp(stored.reported_until));
  for (const line of order.lines) {
    const spend_minor = tallies.find(({ package_id }) => package_id === line.package_id)?.spend_minor ?? 0;
    if (line.budget_minor >= spend_minor || order.state === 'ended') continue;
    return `package ${line.package_id} has spent ${formatMoneyText(spend_minor, line.currency)} ${line.currency} already`;
  }
  return undefined;
}

/** An instruction holds from now on, and never for a time that has been reported on. */
function effectiveAt({ reported_until, instructions }: SimulatedOrder, nowMs: number): string {
  const past = [reported_until, ...instructions.map(({ at }) => at)].map(fromTimestamp);
  return toTimestamp(Math.max(nowMs, ...past));
}

async function failAsTold(orders: Collection<SimulatedOrder>, order: SimulatedOrder): Promise<void> {
  if (!order.trouble.includes('fail') || order.failures >= FAILURES) return;
  await orders.update(order.media_buy_id, (stored) => ({ ...stored, failures: stored.failures + 1 }));
  throw new Error('the simulated ad server fails, as it was told to');
}

function newOrder(order: FirstAdOrder, seed: string): SimulatedOrder {
  const { media_buy_id, created_at, buyer_ref, lines } = order;
  const startMs = floorHour(Math.min(fromTimestamp(created_at), fromTimestamp(order.start_time)));
  return {
    media_buy_id,
    revision: 1,
    order_id: `sim-${media_buy_id}`,
    created_at,
    trouble: troubleIn([buyer_ref, ...lines.map((line) => line.buyer_ref)]),
    failures: 0,
    instructions: [{ ...instructionOf(order, seed), at: created_at }],
    settled_at: toTimestamp(startMs),
    settled: [],
    reported_until: toTimestamp(startMs),
    released_at: null,
  };
}

function instructionOf(
  { revision, state, start_time, end_time, buyer_ref, lines }: FirstAdOrder,
  seed: string,
): Omit<Instruction, 'at'> {
  return {
    revision,
    state,
    start_time,
    end_time,
    lines: lines.map((line, i) => ({
      package_id: line.package_id,
      seed: `${seed}/${buyer_ref}/${line.product_id}/${i}`,
      budget_minor: line.budget_minor,
      rate_minor: line.rate_minor,
      pricing_model: line.pricing_model,
      is_serving: !line.paused && line.creative_ids.length > 0,
      targeting: line.targeting,
      ...(line.frequency_cap !== undefined && { frequency_cap: line.frequency_cap }),
    })),
  };
}

/** Whether two instructions deliver the same. Targeting delivers nothing else here, so it does not begin a new one. */
function isSame(last: Instruction, wanted: Instruction): boolean {
  const told = ({ state, start_time, end_time, lines }: Instruction) =>
    JSON.stringify([
      ...[state, start_time, end_time],
      ...lines.flatMap((line) => [line.package_id, line.seed, line.budget_minor, line.rate_minor]),
      ...lines.flatMap((line) => [line.pricing_model, line.is_serving]),
    ]);
  return told(last) === told(wanted);
}

function isTargetedAlike(last: Instruction, wanted: Instruction): boolean {
  const told = ({ lines }: Instruction) =>
    canonicalJson(lines.map(({ targeting = {}, frequency_cap = null }) => ({ targeting, frequency_cap })));
  return told(last) === told(wanted);
}

function withLast(stored: SimulatedOrder, last: Instruction): SimulatedOrder {
  return { ...stored, instructions: [...stored.instructions.slice(0, -1), last] };
}
