import { fromTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { addMissing } from '../../platform/queue/add-missing.ts';
import type { QueuedJob } from '../../platform/queue/queue.ts';
import { warnSparingly } from '../../platform/sparing-log.ts';
import { owedAttempt } from './delivery.ts';
import type { Delivery, DeliveryJob } from './delivery.ts';
import { gateTargetOf } from './gate-target.ts';
import { laneOf } from './lanes.ts';
import type { DeliveryQueues, Lane } from './lanes.ts';

export interface QueueDeliveriesDependencies {
  lanes: DeliveryQueues;
  clock: Clock;
  log: Logger;
}

/**
 * Queues the attempts that these rows owe, under ids derived from them. A queue that does not answer loses nothing: the
 * rows say what is owed and the reconciler queues it again.
 */
export async function queueDeliveries(deps: QueueDeliveriesDependencies, rows: readonly Delivery[]): Promise<void> {
  try {
    await addAttempts(deps, rows);
  } catch (error) {
    const task_id = rows[0]?.task_id;
    warnSparingly(
      deps.log,
      { task_id, deliveries: rows.length, err: error },
      'deliveries not queued; the reconciler will',
    );
  }
}

/** Queues the attempts that these rows owe, each in its lane. @throws when the queue does not answer. */
export async function addAttempts(
  { lanes, clock }: Pick<QueueDeliveriesDependencies, 'lanes' | 'clock'>,
  rows: readonly Delivery[],
): Promise<void> {
  const jobs = jobsByLane(clock, rows);
  for (const lane of ['prompt', 'late'] as const) if (jobs[lane].length > 0) await lanes[lane].addMany(jobs[lane]);
}

/** The same, of those alone that have no job; answers how many these are. @throws likewise. */
export async function addLostAttempts(
  { lanes, clock }: Pick<QueueDeliveriesDependencies, 'lanes' | 'clock'>,
  rows: readonly Delivery[],
): Promise<number> {
  const jobs = jobsByLane(clock, rows);
  let lost = 0;
  for (const lane of ['prompt', 'late'] as const) lost += await addMissing(lanes[lane], jobs[lane]);
  return lost;
}

function jobsByLane(clock: Clock, rows: readonly Delivery[]): Record<Lane, QueuedJob<DeliveryJob>[]> {
  const jobs: Record<Lane, QueuedJob<DeliveryJob>[]> = { prompt: [], late: [] };
  for (const row of rows) {
    if (row.next_attempt_at === null) continue;
    const delayMs = Math.max(0, Math.ceil(fromTimestamp(row.next_attempt_at) - clock.now()));
    jobs[laneOf(owedAttempt(row))].push({ ...attemptJob(row), options: { delayMs } });
  }
  return jobs;
}

/** Queues these rows' attempts again wherever their jobs wait, after their time was brought forward. */
export async function requeueDeliveries(deps: QueueDeliveriesDependencies, rows: readonly Delivery[]): Promise<void> {
  try {
    const ids = rows.map((row) => attemptJob(row).id);
    await Promise.all(ids.flatMap((id) => [deps.lanes.prompt.remove(id), deps.lanes.late.remove(id)]));
    await addAttempts(deps, rows);
  } catch (error) {
    warnSparingly(deps.log, { deliveries: rows.length, err: error }, 'deliveries not queued; the reconciler will');
  }
}

/** The job of the attempt that a row owes. */
export function attemptJob(row: Delivery): { id: string; data: DeliveryJob } {
  const { delivery_id, destination, target } = row;
  const attempt = owedAttempt(row);
  const { organization_id, path } = gateTargetOf(row);
  const follows = attempt === 1 ? row.follows : undefined;
  const data = {
    ...{ delivery_id, attempt, destination, organization_id, path },
    ...(target !== undefined && { target }),
    ...(follows !== undefined && { follows }),
  };
  return { id: jobId({ delivery_id, attempt }), data };
}

/** The id of an attempt's job, in whichever lane. */
export function jobId({ delivery_id, attempt }: Pick<DeliveryJob, 'delivery_id' | 'attempt'>): string {
  return `${delivery_id}-${attempt}`;
}
