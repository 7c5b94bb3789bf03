import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { PutAnswer, Reason } from '../../sales/ad-server/put-answer.ts';
import { lineStates, nativeIds } from './line-states.ts';
import { stepsTo } from './native-steps.ts';
import type { NativeStep } from './native-steps.ts';
import { blankRecord } from './order-row.ts';
import type { AdOrderRecord } from './order-row.ts';
import { effectiveAt, followNative } from './played-order.ts';
import { reasonsAgainst } from './refusal.ts';

/** What a put goes by, besides the order and what stands. */
export interface PutRules {
  /** The wall clock, milliseconds. */
  nowMs: number;
  /** Where an order's flight stands at an instant of the wall clock; both in milliseconds. */
  flightAt(record: Pick<AdOrderRecord, 'created_at' | 'flight_ahead_ms'>, wallMs: number): number;
  seed: string;
  /** How late counts come, in milliseconds. Where they do, no budget is held against them. */
  lagMs: number;
  /** All that is left to do is done in one write, else each step in its own. */
  isTogether: boolean;
  /** Why it is refused as somebody has told the simulator to. */
  refusal: readonly Reason[];
  pendingForMs: number;
  /** The creatives of the order that may not be shown, as `id@version`. */
  unapproved: readonly string[];
}

/** One write's worth of a put. */
export interface Turn {
  /** What to store; absent: it stands already. */
  record?: AdOrderRecord;
  /** What the write does to the native order. */
  steps: readonly NativeStep[];
  /** Absent: there is more to do. */
  answer?: PutAnswer | 'broken';
}

/** What to do next to make an order what it is to be (P1 to P6 of the port). Pure. */
export function takeTurn(stored: AdOrderRecord | undefined, order: AdOrder, rules: PutRules): Turn {
  const record = stored ?? blankRecord(order);
  const { last } = record;
  if (last !== null && order.version < last.version) {
    return { steps: [], answer: { outcome: 'stale', version: last.version } };
  }
  const isSame = last?.version === order.version && last.digest !== null;
  if (isSame && last.digest !== order.digest) return { steps: [], answer: 'broken' };
  if (isSame && last.outcome !== 'making') return { steps: [], answer: answerOf(record, rules) };
  const isMaking = isSame;
  if (!isMaking && rules.pendingForMs > 0) {
    const next = { ...record, last: pendingVersion(order, rules) };
    return { record: next, steps: [], answer: answerOf(next, rules) };
  }
  return make(record, order, { ...rules, isMaking, atMs: effectiveAt(record, rules.flightAt(record, rules.nowMs)) });
}

/** The record once what was pending is decided, if it is time: from the instant on from which it was to be. Pure. */
export function decidePending(
  record: AdOrderRecord,
  rules: Pick<PutRules, 'nowMs' | 'flightAt' | 'seed' | 'lagMs'>,
): { record: AdOrderRecord; steps: readonly NativeStep[] } {
  const { last } = record;
  if (last?.pending == null || fromTimestamp(last.pending.decided_at) > rules.nowMs) return { record, steps: [] };
  const { order, decided_at, unapproved } = last.pending;
  const decidedMs = fromTimestamp(decided_at);
  const atMs = effectiveAt(record, rules.flightAt(record, decidedMs));
  const refusal = last.reasons ?? [];
  const told = { ...rules, refusal, unapproved, pendingForMs: 0, isTogether: true, isMaking: false, atMs };
  return { record, ...make(record, order, told) };
}

function make(record: AdOrderRecord, order: AdOrder, rules: PutRules & { isMaking: boolean; atMs: number }): Turn {
  const { version, digest } = order;
  const { isMaking, atMs } = rules;
  const against = [...rules.refusal, ...reasonsAgainst(record, order, atMs, rules.lagMs)];
  const isRefused = against.length > 0;
  // What turns out to be refused when half of it is made is taken back: the version before is left whole.
  const target = isRefused ? (isMaking ? record.held?.order : undefined) : order;
  const steps = target == null ? [] : stepsTo(record.native, target, rules.seed);
  const taken = rules.isTogether ? steps : steps.slice(0, 1);
  const stepped = taken.reduce((standing, { apply }) => apply(standing), record.native);
  const native = stepped && !isRefused ? { ...stepped, unapproved: [...rules.unapproved] } : stepped;
  const isWhole = taken.length === steps.length;
  const outcome = isWhole ? (isRefused ? 'refused' : 'done') : 'making';
  const next = followNative(
    {
      ...record,
      native,
      last: { version, digest, outcome, reasons: isRefused ? against : null, pending: null },
      ...(outcome === 'done' && { held: { version, order } }),
    },
    version,
    atMs,
  );
  return { record: next, steps: taken, ...(isWhole && { answer: answerOf(next, rules) }) };
}

function pendingVersion(
  order: AdOrder,
  { nowMs, pendingForMs, refusal, unapproved }: PutRules,
): NonNullable<AdOrderRecord['last']> {
  const { version, digest } = order;
  const decided_at = toTimestamp(nowMs + pendingForMs);
  const pending = { order, decided_at, unapproved: [...unapproved] };
  return { version, digest, outcome: 'pending', reasons: refusal.length > 0 ? [...refusal] : null, pending };
}

/** The answer that the last version gets, however often it is put. */
function answerOf(
  record: AdOrderRecord,
  { nowMs, flightAt, lagMs }: Pick<PutRules, 'nowMs' | 'flightAt' | 'lagMs'>,
): PutAnswer {
  const { last } = record;
  if (last?.pending != null) {
    const { decided_at } = last.pending;
    const note = `the simulated ad server was told to decide at ${decided_at}`;
    return { outcome: 'pending', ask_again_at: decided_at, waiting_for: 'processing', note };
  }
  if (last?.outcome === 'refused') return { outcome: 'refused', reasons: last.reasons ?? [] };
  const lines = lineStates(record, flightAt(record, nowMs), lagMs);
  return { outcome: 'done', native: nativeIds(record), lines };
}
