import type { Logger } from '../platform/log.ts';
import { isTerminal } from '../runtime/states.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { TaskRun } from '../runtime/task-run.ts';

/** How far a task is, as a client that asked for it is told. */
export interface ProgressNotification {
  method: 'notifications/progress';
  params: { progressToken: string | number; progress: number; message: string };
}

export interface ProgressDependencies {
  runtime: Pick<Runtime, 'follow'>;
  log: Logger;
}

/**
 * Tells each status of a task before its end, by its sequence, which only grows. Ends when `signal` aborts, which it must when the
 * answer goes out: nothing may follow it.
 */
export async function tellProgress(
  { runtime, log }: ProgressDependencies,
  { task_id }: TaskRun,
  { token, notify, signal }: Telling,
): Promise<void> {
  try {
    for await (const { events } of runtime.follow(task_id, 0, signal)) {
      for (const event of events) {
        if (event.kind !== 'status' || isTerminal(event.state) || signal.aborted) continue;
        const { sequence: progress, message } = event;
        await notify({ method: 'notifications/progress', params: { progressToken: token, progress, message } });
      }
    }
  } catch (error) {
    log.debug({ err: error, task_id }, 'progress cannot be told; the answer comes all the same');
  }
}

interface Telling {
  /** Chosen by the client, for it to know what the progress is of. */
  token: string | number;
  notify: (notification: ProgressNotification) => Promise<void>;
  signal: AbortSignal;
}
