import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { JobOutcome } from '../../platform/queue/queue.ts';
import type { GateTarget } from '../../platform/redis/target-gate.ts';
import type { Admission, AdmissionDependencies, AttemptSlots } from './admission.ts';
import type { AttemptDependencies } from './attempt.ts';
import { attemptThroughGate } from './attempt-through-gate.ts';
import { owedAttempt } from './delivery.ts';
import type { Delivery, DeliveryJob } from './delivery.ts';
import { gateTargetOf } from './gate-target.ts';
import { giveUp, recordAttempt } from './record-attempt.ts';
import type { RecordAttemptDependencies } from './record-attempt.ts';
import { isWithinHorizon } from './retry-schedule.ts';
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

type Due = { row: Delivery } | { instead: JobOutcome };

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
  if (deps.wakeUps.isFor(job)) {
    deps.order.restart(job.delivery_id);
    return undefined;
  }
  const target = await targetOf(deps, job);
  if (target === undefined) return undefined;
  const passed = await attemptThroughGate<JobOutcome>(deps, target, {
    ...{ slots, signal },
    next: () => attemptDue(deps, job),
    record: (row, made) => recordAttempt(deps, row, made),
  });
  if ('refused' in passed) return wait(deps, job, target, passed.refused);
  return 'instead' in passed ? passed.instead : undefined;
}

/** Whose gate the job waits at; undefined for a job of an earlier release whose row is gone. */
async function targetOf(deps: DeliverDependencies, job: DeliveryJob): Promise<GateTarget | undefined> {
  const { organization_id, destination: origin, path } = job;
  if (organization_id !== undefined && path !== undefined) return { organization_id, origin, path };
  const row = await deps.batches.get(job.delivery_id);
  return row && gateTargetOf(row);
}

/** The row, if it owes this attempt now and has its turn; else what is to become of the job. */
async function attemptDue(deps: DeliverDependencies, job: DeliveryJob): Promise<Due> {
  const [due, turnMs] = await Promise.all([owedRow(deps, job), deps.order.waitMs(job)]);
  return 'row' in due && turnMs > 0 ? { instead: { parkMs: turnMs } } : due;
}

async function owedRow(deps: DeliverDependencies, job: DeliveryJob): Promise<Due> {
  const row = await deps.batches.get(job.delivery_id);
  if (row?.next_attempt_at == null || owedAttempt(row) !== job.attempt) return { instead: undefined };
  const earlyMs = fromTimestamp(row.next_attempt_at) - deps.clock.now();
  if (earlyMs > EARLY_MS) return { instead: { parkMs: earlyMs } };
  const first = row.attempts[0];
  if (first === undefined || isWithinHorizon(fromTimestamp(first.started_at), deps.clock.now())) return { row };
  await giveUp(deps, row);
  return { instead: undefined };
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
  { reason, waitMs }: Extract<Admission, { allowed: false }>,
): Promise<JobOutcome> {
  const isClosed = reason !== 'busy';
  if (isClosed) deps.order.restart(job.delivery_id);
  if (isClosed && job.target !== undefined && (await deps.wakeUps.later(target, waitMs))) return undefined;
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
