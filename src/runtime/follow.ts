import type { Collection } from '../platform/store/collection.ts';
import type { Doorbell } from '../platform/queue/queue.ts';
import { TASK_TOPIC } from './queue-turn.ts';
import { isInterrupted, isTerminal } from './states.ts';
import { lastSequence } from './task-run.ts';
import type { TaskEvent, TaskRun } from './task-run.ts';

/** How often a follower looks by itself, for rings that were lost. */
const LOOK_MS = 5_000;

/** What a follower sees: the row as it stands, and the events that are new to this follower. */
export interface Sighting {
  run: TaskRun;
  events: TaskEvent[];
}

export interface Followers {
  /**
   * Yields each change of a task from a sequence on: no event lost, none twice, whichever process moves the task.
   * Ends after the terminal event, when `signal` aborts, or when the followers are closed. Reads the store only when
   * there is news, and one row at a time: a slow reader is shown several events at once and holds no queue in memory.
   */
  follow(task_id: string, afterSequence: number, signal: AbortSignal): AsyncGenerator<Sighting, void, undefined>;
  /** Ends all of them. */
  close(): void;
}

/** One listener per process on the doorbell, shared by all followers. */
export async function createFollowers(runs: Collection<TaskRun>, bell: Doorbell): Promise<Followers> {
  const waiting = new Map<string, Set<() => void>>();
  const look = sharedReads(runs);
  let isClosed = false;
  const hush = await bell.listen(TASK_TOPIC, (task_id) => {
    look.anew(task_id);
    // No name: rings may have been lost in an outage of the bell, so everyone looks.
    const woken = task_id === '' ? [...waiting.values()] : [waiting.get(task_id) ?? new Set<() => void>()];
    for (const wakes of woken) for (const wake of wakes) wake();
  });

  async function* follow(
    task_id: string,
    afterSequence: number,
    signal: AbortSignal,
  ): AsyncGenerator<Sighting, void, undefined> {
    const knocks = createKnocker(signal);
    const listeners = waiting.get(task_id) ?? new Set();
    waiting.set(task_id, listeners.add(knocks.knock));
    let seen = afterSequence;
    try {
      while (!signal.aborted && !isClosed) {
        const run = await look.at(task_id);
        if (run === undefined) return;
        const events = run.events.filter((event) => event.sequence > seen);
        seen = Math.max(seen, lastSequence(run));
        if (events.length > 0) yield { run, events };
        if (isTerminal(run.state)) return;
        await knocks.next();
      }
    } finally {
      listeners.delete(knocks.knock);
      if (listeners.size === 0) waiting.delete(task_id);
      knocks.stop();
    }
  }

  return {
    follow,
    close() {
      isClosed = true;
      hush();
      for (const wakes of waiting.values()) for (const wake of wakes) wake();
    },
  };
}

/**
 * Followers of one task that look at the same time share one read, so that a ring costs one however many follow.
 * A read that began before a ring serves nobody who looks after it.
 */
function sharedReads(runs: Collection<TaskRun>) {
  const reads = new Map<string, Promise<TaskRun | undefined>>();
  return {
    at(task_id: string): Promise<TaskRun | undefined> {
      const shared = reads.get(task_id);
      if (shared !== undefined) return shared;
      const read = runs.get(task_id).finally(() => {
        if (reads.get(task_id) === read) reads.delete(task_id);
      });
      reads.set(task_id, read);
      return read;
    },
    /** No name: any task may have changed. */
    anew(task_id: string): void {
      if (task_id === '') reads.clear();
      else reads.delete(task_id);
    },
  };
}

/** A knock is never missed: one that comes while nobody waits answers the next wait at once. */
function createKnocker(signal: AbortSignal) {
  let knocked = false;
  let answer: (() => void) | undefined;
  const knock = () => {
    knocked = true;
    answer?.();
  };
  signal.addEventListener('abort', knock);
  return {
    knock,
    async next(): Promise<void> {
      if (!knocked) {
        const timer = setTimeout(knock, LOOK_MS);
        await new Promise<void>((resolve) => (answer = resolve));
        clearTimeout(timer);
        answer = undefined;
      }
      knocked = false;
    },
    stop(): void {
      signal.removeEventListener('abort', knock);
    },
  };
}

/**
 * Waits until the task is over or waits for its caller, at most `capMs`, and answers it as it then stands.
 */
export async function waitFor(
  followers: Followers,
  run: TaskRun,
  capMs: number,
  signal: AbortSignal,
): Promise<TaskRun> {
  if (isTerminal(run.state) || isInterrupted(run.state)) return run;
  const capped = AbortSignal.any([signal, AbortSignal.timeout(capMs)]);
  let latest = run;
  for await (const sighting of followers.follow(run.task_id, lastSequence(run), capped)) {
    latest = sighting.run;
    if (isTerminal(latest.state) || isInterrupted(latest.state)) break;
  }
  return latest;
}
