import type { Caller } from '../directory/caller.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { JobOutcome } from '../platform/queue/queue.ts';
import type { TaskId } from '../platform/task-id.ts';
import { cancel, cancelForSeller } from './cancel.ts';
import { earlierTask } from './earlier.ts';
import type { KeyedRequest } from './earlier.ts';
import type { InboundMessage } from './content.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { execute } from './execute.ts';
import { createFollowers, isIdle, isOutOfHand, waitFor } from './follow.ts';
import type { Sighting } from './follow.ts';
import type { RegistrationRequest } from './notifier.ts';
import { nudge } from './nudge.ts';
import { createReconcileRuns } from './reconcile.ts';
import type { ReconcileRuns } from './reconcile.ts';
import type { Registration } from './registration.ts';
import { addRegistration, endRegistration, readPushRegistrations } from './registrations.ts';
import { resume } from './resume.ts';
import { peek } from './peek.ts';
import { keepRefusal } from './refused-run.ts';
import type { Refused } from './refused-run.ts';
import { noteSubmitted } from './note-submitted.ts';
import { submit } from './submit.ts';
import type { Submission } from './submission.ts';
import type { Submitted } from './insert-run.ts';
import type { TaskDefinition } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';
import { taskServices } from './task-services.ts';
import type { TaskServices } from './task-services.ts';
import { askForSkill, selectSkill } from './awaiting-skill.ts';
import type { Question } from './awaiting-skill.ts';

/** How any task runs, whatever it is about: the operations that the edges and the workers have. */
export interface Runtime extends TaskServices {
  readonly tasks: ReadonlyMap<string, TaskDefinition>;
  submit(submission: Submission): Promise<Submitted>;
  /** Begins a conversation that waits for its task to be named. */
  ask(question: Question): Promise<Submitted>;
  /** Names the task of such a conversation. */
  selectSkill(task_id: TaskId, submission: Submission): Promise<TaskRun>;
  /** See {@link peek}. */
  peek(caller: Caller, task_type: string, input: JsonObject): Promise<JsonObject>;
  /** See {@link earlierTask}. */
  earlier(caller: Caller, keyed: KeyedRequest): Promise<Submitted | undefined>;
  /** See {@link keepRefusal}. */
  keepRefusal(refused: Refused): Promise<TaskRun>;
  /** Notes that the first answer to a translated request says that the work goes on. */
  noteSubmitted(run: TaskRun): Promise<TaskRun>;
  /** See {@link resume}. */
  resume(
    caller: Caller,
    task_id: TaskId,
    message: InboundMessage,
    input?: JsonObject,
    question?: number,
  ): Promise<TaskRun>;
  cancel(caller: Caller, task_id: TaskId): Promise<TaskRun>;
  /** See {@link cancelForSeller}. */
  cancelForSeller(task_id: TaskId, reason: string): Promise<TaskRun>;
  /** See {@link nudge}. */
  nudge(task_id: TaskId): Promise<TaskRun>;
  addRegistration(caller: Caller, task_id: TaskId, request: RegistrationRequest): Promise<Registration>;
  listRegistrations(caller: Caller, task_id: TaskId): Promise<Registration[]>;
  endRegistration(caller: Caller, task_id: TaskId, registration_id: string): Promise<void>;
  follow(task_id: TaskId, afterSequence: number, signal: AbortSignal): AsyncGenerator<Sighting, void, undefined>;
  /** Waits until the task is over or interrupted, at most `capMs`. */
  waitUntilIdle(run: TaskRun, capMs: number, signal: AbortSignal): Promise<TaskRun>;
  /** The same, but no longer than until the task waits for a person at the seller or for the ad server (rule T2.wait). */
  waitWhileInHand(run: TaskRun, capMs: number, signal: AbortSignal): Promise<TaskRun>;
  execute(job: { task_id: TaskId; turn: number }, signal: AbortSignal): Promise<JobOutcome>;
  reconcile: ReconcileRuns;
  close(): void;
}

export async function createRuntime(deps: RuntimeDependencies): Promise<Runtime> {
  const followers = await createFollowers(deps.runs, deps.changeSignal);
  return {
    ...taskServices(deps),
    tasks: deps.tasks,
    submit: (submission) => submit(deps, submission),
    ask: (question) => askForSkill(deps, question),
    selectSkill: (task_id, submission) => selectSkill(deps, task_id, submission),
    peek: (caller, task_type, input) => peek(deps, caller, task_type, input),
    earlier: (caller, keyed) => earlierTask(deps, caller, keyed),
    keepRefusal: (refused) => keepRefusal(deps, refused),
    noteSubmitted: (run) => noteSubmitted(deps, run),
    resume: (caller, task_id, message, input, question) => resume(deps, caller, task_id, message, input, question),
    cancel: (caller, task_id) => cancel(deps, caller, task_id),
    cancelForSeller: (task_id, reason) => cancelForSeller(deps, task_id, reason),
    nudge: (task_id) => nudge(deps, task_id),
    addRegistration: (caller, task_id, request) => addRegistration(deps, caller, task_id, request),
    listRegistrations: (caller, task_id) => readPushRegistrations(deps, caller, task_id),
    endRegistration: (caller, task_id, id) => endRegistration(deps, caller, task_id, id),
    follow: (task_id, afterSequence, signal) => followers.follow(task_id, afterSequence, signal),
    waitUntilIdle: (run, capMs, signal) => waitFor(followers, run, isIdle, { capMs, signal }),
    waitWhileInHand: (run, capMs, signal) => waitFor(followers, run, isOutOfHand, { capMs, signal }),
    execute: (job, signal) => execute(deps, job, signal),
    reconcile: createReconcileRuns(deps),
    close: () => {
      followers.close();
    },
  };
}
