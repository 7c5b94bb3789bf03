import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../../platform/within.ts';
import type { AdmissionDependencies, AttemptSlots } from './admission.ts';
import type { AttemptDependencies } from './attempt.ts';
import { attemptThroughGate } from './attempt-through-gate.ts';
import type { Delivery } from './delivery.ts';
import { gateTargetOf } from './gate-target.ts';
import { attemptJob } from './queue-deliveries.ts';
import type { TaskOrder } from './task-order.ts';
import { unbornRow } from './unborn-row.ts';
import type { UnbornRowDependencies } from './unborn-row.ts';

export interface FirstAttemptDependencies extends UnbornRowDependencies, AttemptDependencies, AdmissionDependencies {
  order: TaskOrder;
  /** Default: {@link PATIENCE_MS}. */
  patienceMs?: number;
}

/** How a first attempt goes, and who is to hear of it. */
interface FirstAttempt {
  slots: AttemptSlots;
  /** Resolves when the first attempt of the event before is over, if it is on its way in this process. */
  before: Promise<void> | undefined;
  isAnswered: (delivery_id: string) => boolean;
  /** It was made, and what became of it is on record. */
  onAnswered: () => void;
  /** The row is in the store before the attempt is over. */
  onStored: () => void;
  signal: AbortSignal;
}

/** After so long, in milliseconds, the row is stored before what becomes of the attempt is known: activity lacks it no longer. */
const PATIENCE_MS = 1_000;

/**
 * Makes the first attempt of a delivery that is not in the store, and inserts its row with what became of it. Where it cannot go
 * soon, or is broken off, the row is stored as owed and queued instead. When this resolves, the row is in the store.
 * @throws what the store throws; then nobody may take the row for stored.
 */
export async function attemptFirst(deps: FirstAttemptDependencies, row: Delivery, given: FirstAttempt): Promise<void> {
  const { slots, signal, onAnswered, onStored } = given;
  const { task_id, delivery_id } = row;
  const endMs = performance.now() + (deps.patienceMs ?? PATIENCE_MS);
  const leftMs = () => Math.max(0, endMs - performance.now());
  const unborn = unbornRow(deps, row, onStored);
  let hasWaited = false;

  /** While it waited, its registration may have ended, or somebody else have found the event. */
  async function next(): Promise<{ row: Delivery } | { instead: undefined }> {
    const found = hasWaited || leftMs() === 0 ? await deps.batches.get(delivery_id) : undefined;
    const isFree = found === undefined || ((await unborn.isStored()) && found.state === 'pending');
    return isFree ? { row } : { instead: undefined };
  }

  /** Answers whether it is over; false where it cannot go now. */
  async function go(): Promise<boolean> {
    const turn = await turnOf(deps, row, given, leftMs);
    hasWaited = turn === 'after a wait';
    if (turn !== 'not yet') unborn.storeAsOwedAfter(leftMs());
    while (turn !== 'not yet') {
      const record = async (_row: Delivery, made: Parameters<typeof unborn.record>[0]) => {
        await unborn.record(made);
        onAnswered();
      };
      const passed = await attemptThroughGate<undefined>(deps, gateTargetOf(row), { slots, signal, next, record });
      if (!('refused' in passed)) return true;
      const { reason, waitMs } = passed.refused;
      if (reason !== 'busy' || waitMs >= leftMs()) return false;
      hasWaited = true;
      await delay(waitMs, undefined, { signal });
    }
    return false;
  }

  try {
    if (!(await go())) await unborn.leaveToQueue();
  } catch (error) {
    // What is on record needs nothing more, though the gate could not be told.
    if (unborn.isRecorded()) return;
    if (!signal.aborted) deps.log.warn({ task_id, delivery_id, err: error }, 'a first attempt is left to the queue');
    await unborn.leaveToQueue();
  }
}

/** Whether the event before has had its first answer (rule W17). */
async function turnOf(
  { order }: FirstAttemptDependencies,
  row: Delivery,
  { before, isAnswered }: FirstAttempt,
  leftMs: () => number,
): Promise<'at once' | 'after a wait' | 'not yet'> {
  const { delivery_id, follows } = row;
  if (follows === undefined || isAnswered(follows)) return 'at once';
  order.begin(delivery_id);
  if (before === undefined) return (await order.waitMs(attemptJob(row).data)) === 0 ? 'after a wait' : 'not yet';
  await within(leftMs(), before, () => undefined);
  return isAnswered(follows) ? 'after a wait' : 'not yet';
}
