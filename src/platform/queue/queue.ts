import type { z } from 'zod';

/**
 * Work in progress, over BullMQ on Redis (`queue-bullmq.ts`). A queue is derived: all that it holds can be rebuilt from
 * the store, and work may be queued or done twice without harm.
 */

/**
 * A queue as it is declared, once, beside those who use it. Its jobs are read by the schema: one that does not fit, from
 * another release or nobody knows where, or no JSON at all, is dropped and logged, a note of it is left among the failed
 * ones, and the reconciler queues what is owed anew. So processes of two releases may share a queue. Members that the
 * schema does not name are left out, and a new member is optional.
 */
export interface QueueSpec<T> {
  name: string;
  schema: z.ZodType<T>;
  /**
   * The member that says whom a job is for: jobs are taken round-robin over those, and none of them has more than half of a
   * worker's places (rule S3). Default: jobs are taken as they came.
   */
  fairBy?: keyof T & string;
  /** Jobs that have ended are kept to be looked at. Default: none. What is kept keeps no job from being added again. */
  keeps?: KeptJobs;
}

/** So many ended jobs of a queue are kept, the newest. */
export interface KeptJobs {
  finished: number;
  /** With the reason. */
  failed: number;
}

export interface AddOptions {
  /** Not before this many milliseconds from now. Default 0. */
  delayMs?: number;
  /** 1 is most urgent; a job without one goes before all that have one (BullMQ). Not in a queue that is `fairBy`. */
  priority?: number;
}

export interface QueuedJob<T> {
  /**
   * Letters, digits, `-`, `_` and `.`; never a bare integer, never `:`, never one of BullMQ's own words such as
   * `delayed` (a TypeError). Adding an id that is waiting, delayed or running does nothing.
   */
  id: string;
  data: T;
  options?: AddOptions;
}

/** Every operation rejects within 5 s when Redis does not answer; it may still have happened. */
export interface Queue<T> {
  readonly name: string;
  add(id: string, data: T, options?: AddOptions): Promise<void>;
  addMany(jobs: readonly QueuedJob<T>[]): Promise<void>;
  /** Those of the ids that are neither waiting, delayed nor running. */
  missing(ids: readonly string[]): Promise<Set<string>>;
  /** Removes a waiting or delayed job; leaves a running one. */
  remove(id: string): Promise<void>;
  counts(): Promise<{ waiting: number; active: number; delayed: number; failed: number }>;
}

/**
 * What a handler answers: nothing when the job is done with, or the milliseconds after which the same job is to come
 * again ("parked": costs no attempt), or why it is done with and failed, for whoever looks at the queue; what follows from
 * that the handler has seen to.
 */
export type JobOutcome = { parkMs: number } | { failed: string; parkMs?: never } | undefined;

/** Does one job. `signal` aborts when the process must stop now: throw, and the job is handed back at once. */
export type JobHandler<T> = (job: { id: string; data: T }, signal: AbortSignal) => Promise<JobOutcome>;

export interface QueueWorker {
  /** Jobs at work in it now. */
  busy(): number;
  /** Stops taking jobs, waits up to `graceMs` for running ones, then aborts them and hands them back. */
  close(graceMs: number): Promise<void>;
}

export interface Queues {
  queue<T>(spec: QueueSpec<T>): Queue<T>;
  /** Starts taking jobs of this queue. A thrown error is logged and the job given up: the reconciler owns retries. */
  work<T>(spec: QueueSpec<T>, handler: JobHandler<T>, options: { concurrency: number }): QueueWorker;
  /**
   * True when Redis has lost its memory since this was last asked by anyone (flush, new server): a marker was missing
   * and has been set again. Only one caller of all processes is told true.
   */
  wasFlushed(): Promise<boolean>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
