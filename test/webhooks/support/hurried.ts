import type { Clock } from '../../../src/platform/clock.ts';
import type { Queue, Queues } from '../../../src/platform/queue/queue.ts';

/**
 * How many times faster than the wall the time of the storm runs: the first retries pass in seconds, and the horizon of
 * a day is further off than the slowest machine needs.
 */
export const HURRY = 100;

/** The same in every process that is given the same beginning, in milliseconds since the epoch. */
export function hurriedClock(beganMs: number): Clock {
  return { now: () => Math.floor(beganMs + (Date.now() - beganMs) * HURRY) };
}

/** Queues for work that reckons by a hurried clock: what it wants to wait, it waits so much shorter. */
export function hurriedQueues(queues: Queues): Queues {
  const shorter = (ms: number) => Math.ceil(ms / HURRY);
  const hurried = <T>(queue: Queue<T>): Queue<T> => ({
    ...queue,
    add: (id, data, options = {}) => queue.add(id, data, { ...options, delayMs: shorter(options.delayMs ?? 0) }),
    addMany: (jobs) =>
      queue.addMany(
        jobs.map((job) => ({ ...job, options: { ...job.options, delayMs: shorter(job.options?.delayMs ?? 0) } })),
      ),
  });
  return {
    ...queues,
    queue: (name) => hurried(queues.queue(name)),
    work: (name, handler, options) =>
      queues.work(
        name,
        async (job: Parameters<typeof handler>[0], signal) => {
          const outcome = await handler(job, signal);
          return outcome?.parkMs === undefined ? outcome : { parkMs: shorter(outcome.parkMs) };
        },
        options,
      ),
  };
}
