import type { Caller } from '../directory/caller.ts';
import { cancel } from './cancel.ts';
import type { InboundMessage, JsonObject } from './content.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { execute } from './execute.ts';
import { createFollowers, waitFor } from './follow.ts';
import type { Sighting } from './follow.ts';
import { readTask } from './read.ts';
import { reconcileRuns } from './reconcile.ts';
import { resume, wake } from './resume.ts';
import { submit } from './submit.ts';
import type { Submission, Submitted } from './submit.ts';
import type { TaskDefinition } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';

/** How any task runs, whatever it is about: the operations that the edges and the workers have. */
export interface Runtime {
  readonly tasks: ReadonlyMap<string, TaskDefinition>;
  submit(submission: Submission): Promise<Submitted>;
  resume(caller: Caller, task_id: string, message: InboundMessage, input?: JsonObject): Promise<TaskRun>;
  read(caller: Caller, task_id: string): Promise<TaskRun>;
  cancel(caller: Caller, task_id: string): Promise<TaskRun>;
  follow(task_id: string, afterSequence: number, signal: AbortSignal): AsyncGenerator<Sighting, void, undefined>;
  /** Waits until the task is over or interrupted, at most `capMs`. */
  settled(run: TaskRun, capMs: number, signal: AbortSignal): Promise<TaskRun>;
  wake(task_id: string): Promise<void>;
  execute(job: { task_id: string; turn: number }, signal: AbortSignal): Promise<void>;
  reconcile(overdueMs: number): Promise<number>;
  close(): void;
}

export async function createRuntime(deps: RuntimeDependencies): Promise<Runtime> {
  const followers = await createFollowers(deps.runs, deps.bell);
  return {
    tasks: deps.tasks,
    submit: (submission) => submit(deps, submission),
    resume: (caller, task_id, message, input) => resume(deps, caller, task_id, message, input),
    read: (caller, task_id) => readTask(deps, caller, task_id),
    cancel: (caller, task_id) => cancel(deps, caller, task_id),
    follow: (task_id, afterSequence, signal) => followers.follow(task_id, afterSequence, signal),
    settled: (run, capMs, signal) => waitFor(followers, run, capMs, signal),
    wake: (task_id) => wake(deps, task_id),
    execute: (job, signal) => execute(deps, job, signal),
    reconcile: (overdueMs) => reconcileRuns(deps, overdueMs),
    close: () => {
      followers.close();
    },
  };
}
