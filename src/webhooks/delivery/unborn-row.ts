import { toTimestamp } from '../../platform/clock.ts';
import type { AttemptDependencies, AttemptResult } from './attempt.ts';
import { storeAndQueue } from './create-delivery.ts';
import type { CreateDeliveryDependencies } from './create-delivery.ts';
import { owedAttempt } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import { recordAttempt } from './record-attempt.ts';
import type { RecordAttemptDependencies } from './record-attempt.ts';
import { ATTEMPT_MS } from './retry-schedule.ts';

export interface UnbornRowDependencies
  extends CreateDeliveryDependencies, RecordAttemptDependencies, Pick<AttemptDependencies, 'timeouts'> {}

/** The row of a delivery whose first attempt is made before it is in the store, and its ways there. */
export interface UnbornRow {
  /** Stores it as owed after so many milliseconds, unless it is stored by then. */
  storeAsOwedAfter(ms: number): void;
  /** Stores it with what became of the attempt, and does what follows. */
  record(made: AttemptResult): Promise<void>;
  /** Stores it as owed, and queues it: this attempt is not made, or what became of it is not known. */
  leaveToQueue(): Promise<void>;
  /** Whether it is in the store as owed, and by this attempt; asked while it is being stored, the answer waits for that. */
  isStored(): Promise<boolean>;
  isRecorded(): boolean;
}

/** The row of an attempt is left alone for so much longer than it may last, in milliseconds. */
const MARGIN_MS = 5_000;

/** @param onStored Told when the row is in the store before it is recorded or left to the queue. */
export function unbornRow(deps: UnbornRowDependencies, row: Delivery, onStored: () => void): UnbornRow {
  const { batches, deliveries, clock, log } = deps;
  const { delivery_id, task_id } = row;
  /** Whose row is in the store: this one, without an attempt, or somebody else's. */
  let stored: 'nobody' | 'ours' | 'others' = 'nobody';
  let isRecorded = false;
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;

  /** Not before its attempt must have ended does anybody else make it. */
  async function storeAsOwed(): Promise<void> {
    const lastsMs = (deps.timeouts?.totalTimeoutMs ?? ATTEMPT_MS) + MARGIN_MS;
    try {
      const owed = await batches.insert({ ...row, next_attempt_at: toTimestamp(clock.now() + lastsMs) });
      stored = owed === undefined ? 'others' : 'ours';
      onStored();
    } catch (error) {
      log.warn({ task_id, delivery_id, err: error }, 'a webhook on its way is not on record yet');
    }
  }

  async function settled(): Promise<void> {
    clearTimeout(timer);
    await storing;
  }

  return {
    storeAsOwedAfter(ms) {
      timer = setTimeout(() => {
        storing = storeAsOwed();
      }, ms);
    },
    async record(made) {
      await settled();
      await recordAttempt(deps, row, made, async (after) => {
        if (stored === 'nobody') return batches.insert(after);
        // A row that is not ours has the same revision, and may have ended.
        return stored === 'ours' ? batches.replace(after) : undefined;
      });
      isRecorded = true;
    },
    async leaveToQueue() {
      await settled();
      if (stored === 'nobody') return storeAndQueue(deps, [row]);
      if (stored === 'others') return;
      const { next_attempt_at } = row;
      const outcome = await deliveries.update(delivery_id, (now) =>
        now.state === 'pending' && owedAttempt(now) === 1 ? { ...now, next_attempt_at } : undefined,
      );
      if (outcome?.changed === true) await queueDeliveries(deps, [outcome.row]);
    },
    async isStored() {
      await storing;
      return stored === 'ours';
    },
    isRecorded: () => isRecorded,
  };
}
