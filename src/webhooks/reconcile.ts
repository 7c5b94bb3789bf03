import { toTimestamp } from '../platform/clock.ts';
import type { Collection } from '../platform/collection.ts';
import type { Delivery } from './delivery.ts';
import { addAttempts } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';

const BATCH = 200;

/**
 * Queues again every attempt that the store says is owed and overdue. Harmless for what is in hand already, since job
 * ids derive from the rows. Answers how many there were.
 * @param overdueMs how long an attempt must have been owed; 0 after the queue lost its memory, when attempts that are
 * not due yet are queued again too.
 * @throws when the queue or the store does not answer.
 */
export async function reconcileDeliveries(
  deps: Pick<QueueDeliveriesDependencies, 'lanes' | 'clock'> & { deliveries: Collection<Delivery> },
  overdueMs: number,
): Promise<number> {
  const until = overdueMs === 0 ? FAR : toTimestamp(deps.clock.now() - overdueMs);
  let found = 0;
  let after: string | undefined;
  do {
    const page = await deps.deliveries.find({
      where: { next_attempt_at: { gt: '', lte: until } },
      sort: { field: 'next_attempt_at', direction: 'asc' },
      limit: BATCH,
      ...(after !== undefined && { after }),
    });
    await addAttempts(deps, page.rows);
    found += page.rows.length;
    after = page.cursor;
  } while (after !== undefined);
  return found;
}

/** Later than every timestamp. */
const FAR = '9999';
