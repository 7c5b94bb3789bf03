import type { Caller } from '../directory/caller.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { cancel } from './cancel.ts';
import type { InboundMessage } from './content.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { execute } from './execute.ts';
import { createFollowers, waitFor } from './follow.ts';
import type { Sighting } from './follow.ts';
import { listTasks } from './list.ts';
import type { TaskFilter, TaskPage } from './list.ts';
import type { RegistrationRequest } from './notifier.ts';
import { readTask } from './read.ts';
import { createReconcileRuns } from './reconcile.ts';
import type { ReconcileRuns } from './reconcile.ts';
import type { Registration } from './registration.ts';
import { addRegistration, endRegistration, listRegistrations, redirectTask } from './registrations.ts';
import { resume, wake } from './resume.ts';
import { submit } from './submit.ts';
import type { Submission, Submitted } from './submit.ts';
import type { TaskDefinition } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';
import { address, ask } from './unaddressed.ts';
import type { Question } from './unaddressed.ts';

/** How any task runs, whatever it is about: the operations that the edges and the workers have. */
export interface Runtime {
  readonly tasks: ReadonlyMap<string, TaskDefinition>;
  submit(submission: Submission): Promise<Submitted>;
  /** Begins a conversation that waits for its task to be named. */
  ask(question: Question): Promise<Submitted>;
  /** Names the task of such a conversation. */
  address(task_id: string, submission: Submission): Promise<TaskRun>;
  resume(caller: Caller, task_id: string, message: InboundMessage, input?: JsonObject): Promise<TaskRun>;
  read(caller: Caller, task_id: string): Promise<TaskRun>;
  list(caller: Caller, filter: TaskFilter, limit: number, cursor?: string): Promise<TaskPage>;
  cancel(caller: Caller, task_id: string): Promise<TaskRun>;
  addRegistration(caller: Caller, task_id: string, request: RegistrationRequest): Promise<Registration>;
  listRegistrations(caller: Caller, task_id: string): Promise<Registration[]>;
  endRegistration(caller: Caller, task_id: string, registration_id: string): Promise<void>;
  /** See {@link redirectTask}. */
  redirect(task_id: string, registration: Registration): Promise<void>;
  follow(task_id: string, afterSequence: number, signal: AbortSignal): AsyncGenerator<Sighting, void, undefined>;
  /** Waits until the task is over or interrupted, at most `capMs`. */
  settled(run: TaskRun, capMs: number, signal: AbortSignal): Promise<TaskRun>;
  /** See {@link wake}. */
  wake(task_id: string, options?: { interrupted?: boolean }): Promise<boolean>;
  execute(job: { task_id: string; turn: number }, signal: AbortSignal): Promise<void>;
  reconcile: ReconcileRuns;
  close(): void;
}

export async function createRuntime(deps: RuntimeDependencies): Promise<Runtime> {
  const followers = await createFollowers(deps.runs, deps.bell);
  return {
    tasks: deps.tasks,
    submit: (submission) => submit(deps, submission),
    ask: (question) => ask(deps, question),
    address: (task_id, submission) => address(deps, task_id, submission),
    resume: (caller, task_id, message, input) => resume(deps, caller, task_id, message, input),
    read: (caller, task_id) => readTask(deps, caller, task_id),
    list: (caller, filter, limit, cursor) => listTasks(deps, caller, filter, limit, cursor),
    cancel: (caller, task_id) => cancel(deps, caller, task_id),
    addRegistration: (caller, task_id, request) => addRegistration(deps, caller, task_id, request),
    listRegistrations: (caller, task_id) => listRegistrations(deps, caller, task_id),
    endRegistration: (caller, task_id, id) => endRegistration(deps, caller, task_id, id),
    redirect: (task_id, registration) => redirectTask(deps, task_id, registration),
    follow: (task_id, afterSequence, signal) => followers.follow(task_id, afterSequence, signal),
    settled: (run, capMs, signal) => waitFor(followers, run, capMs, signal),
    wake: (task_id, options) => wake(deps, task_id, options),
    execute: (job, signal) => execute(deps, job, signal),
    reconcile: createReconcileRuns(deps),
    close: () => {
      followers.close();
    },
  };
}
