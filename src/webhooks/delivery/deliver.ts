import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { GateEnd } from '../../platform/redis/destination-gate.ts';
import type { JobOutcome } from '../../platform/queue/queue.ts';
import type { GateTarget } from '../../platform/redis/target-gate.ts';
import { admit } from './admission.ts';
import type { AdmissionDependencies, AttemptSlots } from './admission.ts';
import { gateOutcome, makeAttempt } from './attempt.ts';
import type { AttemptDependencies } from './attempt.ts';
import { owedAttempt } from './delivery.ts';
import type { Delivery, DeliveryJob } from './delivery.ts';
import { gateTargetOf } from './gate-target.ts';
import { giveUp, recordAttempt } from './record-attempt.ts';
import type { RecordAttemptDependencies } from './record-attempt.ts';
import { honouredMs, isWithinHorizon } from './retry-schedule.ts';
import type { TaskOrder } from './task-order.ts';
import type { WakeUps } from './wake-ups.ts';

export interface DeliverDependencies extends AttemptDependencies, RecordAttemptDependencies, AdmissionDependencies {
  deliveries: Collection<Delivery>;
  wakeUps: WakeUps;
  order: TaskOrder;
}

/** A job that comes this early, by clocks that differ, is done all the same, in milliseconds. */
const EARLY_MS = 250;

/** A wait from here on is written into the row, so that the reconciler does not take the attempt for a lost one. */
const LONG_WAIT_MS = 30_000;

/** However long a receiver asks for, its target is closed to other events no longer than this, in milliseconds. */
const MAX_PAUSE_MS = 10 * 60_000;

/**
 * Makes one attempt, if this job is the one the row owes and the destination takes it now. Killed anywhere, the row
 * still owes it: the same bytes go again under the same key. An attempt is recorded, and the next one decided, in one
 * write. Waiting for the destination spends no attempt.
 * @param slots Those of the lane that the job was taken from.
 * @throws the signal's reason when the process must stop in mid-attempt: nothing is recorded, the job is handed back.
 */
export async function deliver(
  deps: DeliverDependencies,
  job: DeliveryJob,
  signal: AbortSignal,
  slots?: AttemptSlots,
): Promise<JobOutcome> {
  const target = await targetOf(deps, job);
  if (target === undefined) return undefined;
  const admission = await admit(deps, target, slots);
  if (!admission.allowed) return wait(deps, job, target, admission);
  const enteredMs = deps.clock.now();
  let end: End = { outcome: 'unsent' };
  let recorded: Promise<void> | undefined;
  try {
    const [owed, turnMs] = await Promise.all([owedRow(deps, job), deps.order.waitMs(job)]);
    if ('outcome' in owed) return owed.outcome;
    if (turnMs > 0) return { parkMs: turnMs };
    signal.throwIfAborted();
    end = { outcome: 'unknown' };
    const made = await makeAttempt(deps, owed.row, signal);
    const askedMs = honouredMs(job.attempt, made.retryAfterMs);
    end = { outcome: gateOutcome(made.classification), pauseMs: Math.min(askedMs, MAX_PAUSE_MS) };
    recorded = recordAttempt(deps, owed.row, made);
  } finally {
    const nowMs = deps.clock.now();
    await Promise.all([admission.leave({ ...end, nowMs, tookMs: nowMs - enteredMs }), recorded]);
  }
  return undefined;
}

type End = Pick<GateEnd, 'outcome' | 'pauseMs'>;

/** Whose gate the job waits at; undefined for a job of an earlier release whose row is gone. */
async function targetOf(deps: DeliverDependencies, job: DeliveryJob): Promise<GateTarget | undefined> {
  const { organization_id, destination: origin, path } = job;
  if (organization_id !== undefined && path !== undefined) return { organization_id, origin, path };
  const row = await deps.batches.get(job.delivery_id);
  return row && gateTargetOf(row);
}

/** The row, if it owes this attempt now; else what is to become of the job. */
async function owedRow(
  deps: DeliverDependencies,
  job: DeliveryJob,
): Promise<{ row: Delivery } | { outcome: JobOutcome }> {
  const row = await deps.batches.get(job.delivery_id);
  if (row?.next_attempt_at == null || owedAttempt(row) !== job.attempt) return { outcome: undefined };
  const earlyMs = fromTimestamp(row.next_attempt_at) - deps.clock.now();
  if (earlyMs > EARLY_MS) return { outcome: { parkMs: earlyMs } };
  const first = row.attempts[0];
  if (first === undefined || isWithinHorizon(fromTimestamp(first.started_at), deps.clock.now())) return { row };
  await giveUp(deps, row);
  return { outcome: undefined };
}

/**
 * Waits in its lane when room comes soon. When the target is closed, the job is done with: one wake-up stands for all that
 * waits there. Where there is none, as for a row that no index knows the target of yet, the job waits where it is: in one lane
 * only, lest an attempt be made twice.
 */
async function wait(
  deps: DeliverDependencies,
  job: DeliveryJob,
  target: GateTarget,
  { reason, waitMs }: { reason: 'busy' | 'closed'; waitMs: number },
): Promise<JobOutcome> {
  if (reason === 'closed' && job.target !== undefined && (await deps.wakeUps.later(target, waitMs))) return undefined;
  if (waitMs >= LONG_WAIT_MS) await postpone(deps, job, waitMs);
  return { parkMs: waitMs };
}

async function postpone(deps: DeliverDependencies, job: DeliveryJob, waitMs: number): Promise<void> {
  const next_attempt_at = toTimestamp(deps.clock.now() + waitMs);
  await deps.deliveries.update(job.delivery_id, (row) => {
    if (row.next_attempt_at === null || owedAttempt(row) !== job.attempt) return undefined;
    return row.next_attempt_at < next_attempt_at ? { ...row, next_attempt_at } : undefined;
  });
}
