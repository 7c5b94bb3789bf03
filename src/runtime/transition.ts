import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { JsonTexts } from '../platform/json-text.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { Artifact, Part } from './content.ts';
import { countFinished } from './count-runs.ts';
import type { PresentedEvent, RuntimeDependencies } from './dependencies.ts';
import { areOf, isToldInWords, putIntoWords } from './in-words.ts';
import type { Worded } from './in-words.ts';
import { publishChange } from './queue-turn.ts';
import { withoutOld } from './old-registrations.ts';
import { canTransition, isTerminal } from './states.ts';
import type { TaskState } from './states.ts';
import { EVENT_FORMAT, lastSequence } from './task-run.ts';
import type { Ending, TaskEvent, TaskRun } from './task-run.ts';

/** How long a finished task can still be read. */
const RUN_RETENTION_MS = 30 * 24 * 3_600_000;

/** What a transition tells: a status the task takes on, or a piece of output. */
export type NewEvent =
  | {
      state: TaskState;
      message: string;
      data?: unknown;
      data_texts?: JsonTexts | undefined;
      parts?: Part[];
      told?: JsonObject | undefined;
    }
  | { artifact: Artifact };

/** Thrown inside a run whose task is over meanwhile: whoever came first has won, and the run stops. */
export class TaskOver extends Error {
  readonly run: TaskRun;
  constructor(run: TaskRun) {
    super(`task ${run.task_id} is ${run.state} already`);
    this.name = 'TaskOver';
    this.run = run;
  }
}

/** Thrown at who would cancel a run that has passed its point of no return. */
export class TaskCommitted extends Error {
  readonly since: string;
  constructor(since: string) {
    super(`the task is committed since ${since}`);
    this.name = 'TaskCommitted';
    this.since = since;
  }
}

/** Fields that a transition may set along with its event, in the same write. */
export type Patch = Partial<
  Pick<
    TaskRun,
    | 'run_due_at'
    | 'turn'
    | 'faults'
    | 'fault_log'
    | 'has_faults'
    | 'waits'
    | 'waits_for'
    | 'messages'
    | 'input'
    | 'notified_sequence'
    | 'expires_at'
    | 'task_type'
    | 'is_read'
    | 'context'
    | 'context_text'
    | 'idempotency_key'
    | 'idempotency_live'
    | 'request_hash'
    | 'exclusive_key'
    | 'exclusive_live'
    | 'registrations'
    | 'webhook_seed'
    | 'is_unbegun'
  >
>;

/**
 * The run after one more event. Pure. Its timestamp is later than the last one's whatever the clocks say: receivers take
 * an event with an earlier timestamp for a stale one (rule C.events.4).
 * @throws {TaskOver} when the run is terminal: the first terminal state wins (rule T1).
 * @throws {TaskCommitted} for canceling a run that has passed its point of no return (rule T1.no-return).
 * @throws {Error} for a transition that the table of states does not have: a mistake in the program.
 */
export function append(run: TaskRun, given: NewEvent, nowMs: number, patch: Patch = {}): TaskRun {
  if (isTerminal(run.state)) throw new TaskOver(run);
  if (run.committed_at !== null && 'state' in given && given.state === 'canceled') {
    throw new TaskCommitted(run.committed_at);
  }
  const last = run.events.at(-1);
  const timestamp = toTimestamp(last === undefined ? nowMs : Math.max(nowMs, fromTimestamp(last.timestamp) + 1));
  const sequence = lastSequence(run) + 1;
  if ('state' in given && !canTransition(run.state, given.state)) {
    throw new Error(`a task cannot move from ${run.state} to ${given.state}`);
  }
  const event: TaskEvent =
    'state' in given
      ? { kind: 'status', sequence, timestamp, ...given, format: EVENT_FORMAT }
      : { kind: 'artifact', sequence, timestamp, artifact: given.artifact };
  const state = 'state' in given ? given.state : run.state;
  const over = isTerminal(state);
  const listened = (patch.registrations ?? run.registrations).some(
    (registration) => registration.ended_at === undefined,
  );
  const notified_sequence = Math.max(run.notified_sequence, patch.notified_sequence ?? 0);
  const owesEarlier = owesEndings(run) || notified_sequence < lastSequence(run);
  return {
    ...run,
    ...begun(run),
    ...(over && { run_due_at: null, expires_at: toTimestamp(nowMs + RUN_RETENTION_MS) }),
    ...patch,
    state,
    events: [...run.events, event],
    idempotency_live: (patch.idempotency_live ?? run.idempotency_live) && (!over || mayHaveEffect(given)),
    exclusive_live: (patch.exclusive_live ?? run.exclusive_live) && !over,
    notify_due_at: listened || owesEndings(run) ? ((owesEarlier ? run.notify_due_at : null) ?? timestamp) : null,
    notified_sequence: listened ? notified_sequence : sequence,
    updated_at: 'state' in given ? timestamp : run.updated_at,
  };
}

/** What changes in a run that was queued and is not any more, whatever came of it. */
export function begun({ is_unbegun }: TaskRun): Pick<TaskRun, 'is_unbegun'> {
  return is_unbegun === true ? { is_unbegun: false } : {};
}

/** Whether a run that ends so keeps its idempotency key (rule B7.effect): all do but those that prove that nothing took effect. */
function mayHaveEffect(end: NewEvent): boolean {
  if (!('state' in end) || end.state === 'completed') return true;
  const { error } = (end.data ?? {}) as { error?: { details?: { effect?: unknown } } };
  return error?.details?.effect === 'unknown';
}

/**
 * Moves a task: one compare-and-swap write, then the change signal and the notifier. The only writer of a status.
 * `decide` may be asked again when another writer came first; its undefined leaves the task alone.
 * @param told What follows once the deliveries of the run so written exist; default: that is written down.
 * @returns the run as written; undefined when it was left alone or there is none.
 * @throws {TaskOver} see {@link append}.
 * @throws {TaskCommitted} see {@link append}.
 */
export async function transition(
  deps: RuntimeDependencies,
  task_id: TaskId,
  decide: (run: TaskRun) => { event: NewEvent; patch?: Patch } | undefined,
  told: (run: TaskRun) => void | Promise<void> = (run) => markNotified(deps, run),
): Promise<TaskRun | undefined> {
  const run = await written(deps, task_id, decide);
  if (run === undefined) return undefined;
  deps.log.info({ task_id, state: run.state, sequence: lastSequence(run) }, 'task moved');
  countFinished(deps, run);
  await Promise.all([publishChange(deps, run), deps.notifier.notify(run, { isNew: true, told: () => told(run) })]);
  return run;
}

/** Writes the event, put into words where it is told in such: that needs reading, which is done before the write. */
async function written(
  deps: RuntimeDependencies,
  task_id: TaskId,
  decide: Parameters<typeof transition>[2],
): Promise<TaskRun | undefined> {
  for (let words: Worded | undefined; ;) {
    let unsaid: { run: TaskRun; event: PresentedEvent } | undefined;
    const outcome = await deps.runs.update(task_id, (run) => {
      unsaid = undefined;
      const decided = decide(run);
      if (decided === undefined) return undefined;
      const { event, patch } = decided;
      if (deps.present === undefined || !('state' in event) || !isToldInWords(run, event)) {
        return append(run, event, deps.clock.now(), patch);
      }
      if (!areOf(words, event)) {
        unsaid = { run, event };
        return undefined;
      }
      const { told } = words;
      return append(run, { ...event, ...(told && { told }) }, deps.clock.now(), patch);
    });
    if (unsaid === undefined) return outcome?.changed === true ? outcome.row : undefined;
    words = await putIntoWords(deps, unsaid.run, unsaid.event);
  }
}

/**
 * Records that the deliveries of this run's events all exist, and that its endings are carried out. Call it only when it is so.
 * Separate from the transition, so that a crash between the two leaves `notify_due_at` for the reconciler to find.
 */
export async function markNotified(deps: Pick<RuntimeDependencies, 'runs'>, run: TaskRun): Promise<void> {
  const upTo = lastSequence(run);
  if (run.notify_due_at === null) return;
  if ((await deps.runs.replace(notified(run, upTo, run.endings))) !== undefined) return;
  await deps.runs.update(run.task_id, (stored) => {
    const after = notified(stored, upTo, run.endings);
    const isSame =
      after.notified_sequence === stored.notified_sequence &&
      after.notify_due_at === stored.notify_due_at &&
      after.endings?.length === stored.endings?.length &&
      after.registrations.length === stored.registrations.length;
    return isSame ? undefined : after;
  });
}

/** The run once the deliveries of its events up to a sequence exist, and these endings are carried out. Pure. */
export function notified(run: TaskRun, upTo: number, ended: readonly Ending[] = []): TaskRun {
  const notified_sequence = Math.max(run.notified_sequence, upTo);
  const endings = run.endings?.filter((ending) => !ended.some((one) => isSameEnding(one, ending)));
  const registrations = withoutOld(run.registrations, endings, ended);
  const after = { ...run, notified_sequence, registrations, ...(endings && { endings }) };
  const isAll = notified_sequence >= lastSequence(run) && !owesEndings(after);
  return { ...after, notify_due_at: isAll ? null : run.notify_due_at };
}

function owesEndings({ endings = [] }: TaskRun): boolean {
  return endings.length > 0;
}

function isSameEnding(one: Ending, other: Ending): boolean {
  const isOfOne = one.registration.registration_id === other.registration.registration_id;
  return isOfOne && one.after === other.after && one.until === other.until;
}
