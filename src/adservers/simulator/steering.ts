import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { Reason } from '../../sales/ad-server/put-answer.ts';
import type { ReviewControl, SimulatorCalls, SimulatorControl, LieControl } from './controls.ts';

/** So many calls, and native writes, are remembered. */
const MOST_REMEMBERED = 10_000;

type Call = SimulatorCalls['calls'][number];
type NativeWrite = SimulatorCalls['native_writes'][number];

/** What a simulator was told to do wrong, and what was asked of it; of one process, and forgotten with it. */
export interface Steering {
  /** The ad server's wall clock, in milliseconds: the given one, moved forward as it was told to be. */
  now(): number;
  /** Takes what the simulator's process keeps in mind; what changes orders is not its business. */
  take(control: SimulatorControl): void;
  /** Why an order is refused as it was told to be; empty: it is not. */
  refusalOf(order: AdOrder): Reason[];
  pendingForMs(): number;
  lie(): LieControl | null;
  /** What the review was told to say of a creative that is uploaded now. */
  reviewOf(creative_id: string): ReviewControl | undefined;
  /** Whether one of the next so many native writes is the one that does not happen; then it is the last to do so. */
  stops(writes: number): boolean;
  wrote(writes: readonly Omit<NativeWrite, 'at'>[]): void;
  called(call: Omit<Call, 'at'>): void;
  calls(): SimulatorCalls;
}

export function createSteering(clock: Clock): Steering {
  let advancedMs = 0;
  let refuse: SimulatorControl['refuse'] = null;
  let pending_for_s = 0;
  let lie: LieControl | null = null;
  let stopIn = 0;
  let unnamedReview: ReviewControl | undefined;
  const reviews = new Map<string, ReviewControl>();
  const log: { calls: Call[]; native_writes: NativeWrite[] } = { calls: [], native_writes: [] };
  const creates = { orders: 0, lines: 0, creatives: 0 };
  const now = () => clock.now() + advancedMs;

  function reset(): void {
    [refuse, pending_for_s, lie, stopIn, unnamedReview] = [null, 0, null, 0, undefined];
    Object.assign(log, { calls: [], native_writes: [] });
    Object.assign(creates, { orders: 0, lines: 0, creatives: 0 });
  }

  return {
    now,
    take(control) {
      if (control.reset === true) reset();
      if (control.refuse !== undefined) refuse = control.refuse;
      if (control.lie !== undefined) lie = control.lie;
      pending_for_s = control.pending_for_s ?? pending_for_s;
      stopIn = control.stop_before_native_write ?? stopIn;
      advancedMs += Math.round((control.advance_s ?? 0) * 1000);
      const { review } = control;
      if (review?.creative_id === undefined) unnamedReview = review ?? unnamedReview;
      else reviews.set(review.creative_id, review);
    },
    refusalOf({ media_buy_id, lines }) {
      const { reasons = [], media_buy_id: buy, package_id } = refuse ?? {};
      const isMeant =
        (buy === undefined || buy === media_buy_id) &&
        (package_id === undefined || lines.some((line) => line.package_id === package_id));
      return isMeant ? [...reasons] : [];
    },
    pendingForMs: () => Math.round(pending_for_s * 1000),
    lie: () => lie,
    reviewOf: (creative_id) => reviews.get(creative_id) ?? unnamedReview,
    stops(writes) {
      if (stopIn === 0 || writes < stopIn) return false;
      stopIn = 0;
      return true;
    },
    wrote(writes) {
      stopIn = Math.max(0, stopIn - writes.length);
      const at = toTimestamp(now());
      for (const write of writes) {
        remember(log.native_writes, { at, ...write });
        if (write.kind === 'create_order') creates.orders += 1;
        if (write.kind === 'create_line') creates.lines += 1;
        if (write.kind === 'create_creative') creates.creatives += 1;
      }
    },
    called(call) {
      remember(log.calls, { at: toTimestamp(now()), ...call });
    },
    calls: () => ({ calls: [...log.calls], native_writes: [...log.native_writes], creates: { ...creates } }),
  };
}

function remember<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MOST_REMEMBERED) list.shift();
}
