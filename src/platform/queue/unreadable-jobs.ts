import { randomUUID } from 'node:crypto';
import { Worker } from 'bullmq';
import type { Job, JobJson, Queue as BullQueue } from 'bullmq';
import { withinDeadline } from '../redis/redis-connection.ts';

/** What the payload of a job is taken for that is no JSON. */
export const NO_JSON = Symbol('no JSON');

/**
 * A worker that is given such jobs, too. BullMQ itself throws where it makes the job of it: it stays taken, its lock runs
 * out, and it is taken again for ever. There is no way in but by inheritance.
 */
export class UnreadableJobWorker extends Worker<unknown, void> {
  protected override createJob(stored: JobJson, jobId: string): Job<unknown, void> {
    try {
      return super.createJob(stored, jobId);
    } catch {
      const job = super.createJob({ ...stored, data: '{}' }, jobId);
      job.data = NO_JSON;
      return job;
    }
  }
}

/** So many failed jobs are kept of a queue that keeps no others, the newest: notes of dropped ones. */
const NOTES = 100;
const NOTE_ID = 'dropped.';

/** What was wrong with a payload, without what stood there. */
export interface PayloadProblem {
  path: string;
  code: string;
}

/**
 * Leaves a note of a dropped job: a job that fails as soon as it is taken and stays, for whoever looks at the queue. It has
 * an id of its own, since what is owed is queued anew under the dropped one's.
 * @param keptFailed how many failed jobs the queue keeps, notes or not.
 */
export async function noteDropped(
  queue: BullQueue,
  job_id: string,
  problems: readonly PayloadProblem[],
  keptFailed = NOTES,
): Promise<void> {
  const options = { attempts: 1, removeOnComplete: true, removeOnFail: { count: keptFailed } };
  const adding = queue.add(queue.name, { job_id, problems }, { ...options, jobId: `${NOTE_ID}${randomUUID()}` });
  await withinDeadline(adding, `note of a job dropped from ${queue.name}`);
}

/** Whether a job is such a note. */
export function isNoteOfDropped(id: string): boolean {
  return id.startsWith(NOTE_ID);
}
