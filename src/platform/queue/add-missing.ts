import type { Queue, QueuedJob } from './queue.ts';

/** Adds those of the jobs that are not there; answers how many these are. @throws when the queue does not answer. */
export async function addMissing<T>(queue: Queue<T>, jobs: readonly QueuedJob<T>[]): Promise<number> {
  const missing = await queue.missing(jobs.map(({ id }) => id));
  if (missing.size > 0) await queue.addMany(jobs.filter(({ id }) => missing.has(id)));
  return missing.size;
}
