import { fromTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { Queue, QueuedJob } from '../platform/queue.ts';
import { owedAttempt } from './delivery.ts';
import type { Delivery, DeliveryJob } from './delivery.ts';

export interface QueueDeliveriesDependencies {
  queue: Queue<DeliveryJob>;
  clock: Clock;
  log: Logger;
}

/**
 * Queues the attempts that these rows owe, under ids derived from them. A queue that does not answer loses nothing: the
 * rows say what is owed and the reconciler queues it again.
 */
export async function queueDeliveries(deps: QueueDeliveriesDependencies, rows: readonly Delivery[]): Promise<void> {
  try {
    await deps.queue.addMany(rows.flatMap((row) => attemptJobs(row, deps.clock.now())));
  } catch (error) {
    const task_id = rows[0]?.task_id;
    deps.log.warn({ task_id, deliveries: rows.length, err: error }, 'deliveries not queued; the reconciler will');
  }
}

/** The job of the attempt that a row owes; none when it owes none. */
export function attemptJobs(row: Delivery, nowMs: number): QueuedJob<DeliveryJob>[] {
  if (row.next_attempt_at === null) return [];
  const { delivery_id } = row;
  const attempt = owedAttempt(row);
  const delayMs = Math.max(0, Math.ceil(fromTimestamp(row.next_attempt_at) - nowMs));
  return [{ id: `${delivery_id}-${attempt}`, data: { delivery_id, attempt }, options: { delayMs } }];
}
