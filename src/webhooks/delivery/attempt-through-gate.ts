import type { GateEnd } from '../../platform/redis/destination-gate.ts';
import type { GateTarget } from '../../platform/redis/target-gate.ts';
import { admit } from './admission.ts';
import type { Admission, AdmissionDependencies, AdmissionRequest } from './admission.ts';
import { gateOutcome, makeAttempt } from './attempt.ts';
import type { AttemptDependencies, AttemptResult } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { honouredMs } from './retry-schedule.ts';

/** However long a receiver asks for, its target is closed to other events no longer than this, in milliseconds. */
const MAX_PAUSE_MS = 10 * 60_000;

/** What goes through the gate. */
export interface Passing<T> extends AdmissionRequest {
  /** Asked once it is let in: the row to send, or what becomes of it instead. */
  next: () => Promise<{ row: Delivery } | { instead: T }>;
  /** Done while the permit is given back. */
  record?: (row: Delivery, made: AttemptResult) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Makes one attempt, if its target takes it now, and tells the gate how it went, whatever happens. Who is let in and does not send
 * has used up nothing.
 * @throws the signal's reason when it aborts, and what `next` and `record` throw.
 */
export async function attemptThroughGate<T>(
  deps: AdmissionDependencies & AttemptDependencies,
  target: GateTarget,
  { next, record, signal, ...request }: Passing<T>,
): Promise<{ made: AttemptResult } | { instead: T } | { refused: Extract<Admission, { allowed: false }> }> {
  const admission = await admit(deps, target, request);
  if (!admission.allowed) return { refused: admission };
  const enteredMs = deps.clock.now();
  let end: Pick<GateEnd, 'outcome' | 'pauseMs'> = { outcome: 'unsent' };
  let recorded: Promise<void> | undefined;
  try {
    const owed = await next();
    if ('instead' in owed) return owed;
    signal.throwIfAborted();
    end = { outcome: 'unknown' };
    const made = await makeAttempt(deps, owed.row, signal);
    const askedMs = honouredMs(made.attempt.attempt, made.retryAfterMs);
    end = { outcome: gateOutcome(made.classification), pauseMs: Math.min(askedMs, MAX_PAUSE_MS) };
    recorded = record?.(owed.row, made);
    return { made };
  } finally {
    const nowMs = deps.clock.now();
    await Promise.all([admission.leave({ ...end, nowMs, tookMs: nowMs - enteredMs }), recorded]);
  }
}
