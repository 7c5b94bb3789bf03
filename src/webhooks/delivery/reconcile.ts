import { createBacklog, FAR } from '../../platform/store/backlog.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Delivery } from './delivery.ts';
import { addAttempts } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';
import type { WakeUps } from './wake-ups.ts';

/** Attempts that one sweep queues again, at most; the next one goes on behind them. Bounds what a long backlog costs. */
const MAX_PER_SWEEP = 2_000;

/**
 * Queues again every attempt that the store says is owed and overdue. Harmless for what is in hand already, since job
 * ids derive from the rows. What is due at a target that is closed has one wake-up instead. Answers how many there were.
 * @param overdueMs how long an attempt must have been owed; 0 after the queue lost its memory, when all are queued again in
 * one go, those that are not due yet too.
 * @throws when the queue or the store does not answer.
 */
export type ReconcileDeliveries = (overdueMs: number) => Promise<number>;

export function createReconcileDeliveries(
  deps: Pick<QueueDeliveriesDependencies, 'lanes' | 'clock'> & { deliveries: Collection<Delivery>; wakeUps: WakeUps },
): ReconcileDeliveries {
  const owed = createBacklog(deps.deliveries, 'next_attempt_at', async (rows) => {
    await addAttempts(deps, await deps.wakeUps.notClosed(rows));
  });
  return (overdueMs) =>
    overdueMs === 0 ? owed.all(FAR) : owed.portion(toTimestamp(deps.clock.now() - overdueMs), MAX_PER_SWEEP);
}
