import type { Collection } from '../platform/store/collection.ts';
import type { ChangeSignal } from '../platform/redis/change-signal.ts';
import type { TaskId } from '../platform/task-id.ts';
import { TASK_TOPIC } from './queue-turn.ts';
import { isInterrupted, isTerminal } from './states.ts';
import { lastSequence } from './task-run.ts';
import type { TaskEvent, TaskRun } from './task-run.ts';

/** How often a follower looks by itself, for signals that were lost. */
const LOOK_MS = 5_000;

/** How long an answer to a client that polls afterwards waits for the end of the work, in milliseconds. */
export const ANSWER_WAIT_MS = 10_000;

/** What a follower sees: the row as it stands, and the events that are new to it; none where only `waits_for` is new. */
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
  follow(task_id: TaskId, afterSequence: number, signal: AbortSignal): AsyncGenerator<Sighting, void, undefined>;
  /** Ends all of them. */
  close(): void;
}

/** One listener per process of the change signal, shared by all followers. */
export async function createFollowers(runs: Collection<TaskRun>, changeSignal: ChangeSignal): Promise<Followers> {
  const waiting = new Map<string, Set<() => void>>();
  const look = sharedReads(runs);
  let isClosed = false;
  const unsubscribe = await changeSignal.subscribe(TASK_TOPIC, (task_id) => {
    look.anew(task_id);
    // No name: signals may have been lost in an outage of Redis, so everyone looks.
    const woken = task_id === '' ? [...waiting.values()] : [waiting.get(task_id) ?? new Set<() => void>()];
    for (const wakes of woken) for (const wake of wakes) wake();
  });

  async function* follow(
    task_id: TaskId,
    afterSequence: number,
    signal: AbortSignal,
  ): AsyncGenerator<Sighting, void, undefined> {
    const wakeUps = createWakeUps(signal);
    const listeners = waiting.get(task_id) ?? new Set();
    waiting.set(task_id, listeners.add(wakeUps.wake));
    let seen = afterSequence;
    let seenWait: TaskRun['waits_for'] = null;
    try {
      while (!signal.aborted && !isClosed) {
        const run = await look.at(task_id);
        if (run === undefined) return;
        const events = run.events.filter((event) => event.sequence > seen);
        seen = Math.max(seen, lastSequence(run));
        const { waits_for = null } = run;
        const isNews = events.length > 0 || waits_for !== seenWait;
        seenWait = waits_for;
        if (isNews) yield { run, events };
        if (isTerminal(run.state)) return;
        await wakeUps.next();
      }
    } finally {
      listeners.delete(wakeUps.wake);
      if (listeners.size === 0) waiting.delete(task_id);
      wakeUps.stop();
    }
  }

  return {
    follow,
    close() {
      isClosed = true;
      unsubscribe();
      for (const wakes of waiting.values()) for (const wake of wakes) wake();
    },
  };
}

/**
 * Followers of one task that look at the same time share one read, so that a signal costs one however many follow.
 * A read that began before a signal serves nobody who looks after it.
 */
function sharedReads(runs: Collection<TaskRun>) {
  const reads = new Map<string, Promise<TaskRun | undefined>>();
  return {
    at(task_id: TaskId): Promise<TaskRun | undefined> {
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

/** A wake-up is never missed: one that comes while nobody waits answers the next wait at once. */
function createWakeUps(signal: AbortSignal) {
  let isWoken = false;
  let answer: (() => void) | undefined;
  const wake = () => {
    isWoken = true;
    answer?.();
  };
  signal.addEventListener('abort', wake);
  return {
    wake,
    async next(): Promise<void> {
      if (!isWoken) {
        const timer = setTimeout(wake, LOOK_MS);
        await new Promise<void>((resolve) => (answer = resolve));
        clearTimeout(timer);
        answer = undefined;
      }
      isWoken = false;
    },
    stop(): void {
      signal.removeEventListener('abort', wake);
    },
  };
}

/** Waits until the task is as wanted, at most `capMs`, and answers it as it then stands. */
export async function waitFor(
  followers: Followers,
  run: TaskRun,
  isWanted: (run: TaskRun) => boolean,
  { capMs, signal }: { capMs: number; signal: AbortSignal },
): Promise<TaskRun> {
  if (isWanted(run)) return run;
  // Not by AbortSignal.any of a timeout: Node forgets such a timeout when it collects garbage.
  const over = new AbortController();
  const stop = () => {
    over.abort();
  };
  const timer = setTimeout(stop, capMs);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    let latest = run;
    for await (const sighting of followers.follow(run.task_id, lastSequence(run), over.signal)) {
      latest = sighting.run;
      if (isWanted(latest)) break;
    }
    return latest;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Whether the task is over, or waits for its caller. */
export function isIdle({ state }: TaskRun): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/** Whether nothing more is to be had by waiting a moment: it is idle, or waits for a person or the ad server (rule T2.wait). */
export function isOutOfHand(run: TaskRun): boolean {
  return isIdle(run) || (run.waits_for ?? null) !== null;
}
