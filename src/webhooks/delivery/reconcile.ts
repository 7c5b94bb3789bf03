import { createBacklog, FAR } from '../../platform/store/backlog.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Delivery } from './delivery.ts';
import { addAttempts, addLostAttempts } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';
import type { WakeUps } from './wake-ups.ts';

/** Attempts that one sweep queues again, at most; the next one goes on behind them. Bounds what a long backlog costs. */
const MAX_PER_SWEEP = 2_000;

/** What became overdue within so long, in milliseconds: longer than several sweeps; and how many of those are looked at. */
const FRESH_MS = 30_000;
const MAX_FRESH = 500;

/**
 * Queues again every attempt that the store says is owed and overdue and that has no job: one that a slow receiver holds up has its
 * own. What is due at a target that is closed has one wake-up instead. Answers how many were queued.
 * @param overdueMs how long an attempt must have been owed; 0 after the queue lost its memory, when all are looked at in one go,
 * those that are not due yet too: what is due then has one wake-up a target, closed or not, lest all of it come to the gates at once.
 * @throws when the queue or the store does not answer.
 */
export type ReconcileDeliveries = (overdueMs: number) => Promise<number>;

export function createReconcileDeliveries(
  deps: Pick<QueueDeliveriesDependencies, 'lanes' | 'clock'> & { deliveries: Collection<Delivery>; wakeUps: WakeUps },
): ReconcileDeliveries {
  const { deliveries, clock } = deps;
  const queueAgain = async (rows: readonly Delivery[]) => addLostAttempts(deps, await deps.wakeUps.notClosed(rows));
  const owed = createBacklog(deliveries, 'next_attempt_at', queueAgain);
  let woken = new Set<string>();
  const forgotten = createBacklog(deliveries, 'next_attempt_at', async (rows) => {
    await addAttempts(deps, await deps.wakeUps.notDue(rows, woken));
    return rows.length;
  });

  /** What has only just become overdue: behind a long backlog, as of a receiver that is paused, it would wait for minutes. */
  async function freshBy(untilMs: number): Promise<number> {
    const next_attempt_at = { gt: toTimestamp(untilMs - FRESH_MS), lte: toTimestamp(untilMs) };
    const sort = { field: 'next_attempt_at', direction: 'asc' } as const;
    const { rows } = await deliveries.find({ where: { next_attempt_at }, sort, limit: MAX_FRESH });
    return queueAgain(rows);
  }

  return async (overdueMs) => {
    if (overdueMs === 0) {
      woken = new Set();
      return (await forgotten.all(FAR)).done;
    }
    const untilMs = clock.now() - overdueMs;
    const { found, done } = await owed.portion(toTimestamp(untilMs), MAX_PER_SWEEP);
    return found < MAX_PER_SWEEP ? done : done + (await freshBy(untilMs));
  };
}
