import { toTimestamp } from '../platform/clock.ts';
import { AppError, knownError } from '../platform/errors.ts';
import type { JobOutcome } from '../platform/queue/queue.ts';
import type { TaskId } from '../platform/task-id.ts';
import { inSpan } from '../platform/telemetry/spans.ts';
import type { OpenSpan } from '../platform/telemetry/spans.ts';
import { isAdServerFault, Unreachable } from '../sales/ad-server/faults.ts';
import type { AdServerFault } from '../sales/ad-server/faults.ts';
import { askAgainMs, backoffMs, MAX_FAULTS } from './backoff.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { loggedFault, withFault } from './fault-log.ts';
import type { TaskFault } from './fault-log.ts';
import { begun, markNotified, notified, TaskOver, transition } from './transition.ts';
import { publishChange, queueTurn } from './queue-turn.ts';
import { createRunContext } from './run-context.ts';
import { isTerminal } from './states.ts';
import type { QueuedTask, RunOutcome } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';
import { undo } from './undo.ts';

/** How soon a turn of a suspended organization is looked at again, in milliseconds. */
const SUSPENDED_LOOK_MS = 20_000;

/**
 * Does one turn of a task, or undoes what a task that has ended had begun. Safe to repeat, and to be killed anywhere:
 * what is owed stays owed in the row. A turn of a suspended organization waits as it is; what is to be undone does not.
 * @throws when `signal` aborted, so that the job is handed back.
 */
export async function execute(
  deps: RuntimeDependencies,
  job: { task_id: TaskId; turn: number },
  signal: AbortSignal,
): Promise<JobOutcome> {
  const run = await deps.runs.get(job.task_id);
  if (run?.turn !== job.turn || run.run_due_at === null) return undefined;
  const definition = deps.tasks.get(run.task_type);
  if (definition?.mode !== 'queued') throw new Error(`no queued task is called ${run.task_type}`);
  const isOver = isTerminal(run.state);
  if (!isOver && (await deps.suspensions?.isSuspended(run.organization_id)) === true) {
    return { parkMs: SUSPENDED_LOOK_MS };
  }
  const { task_id, task_type, turn, faults, traceparent: parent = '' } = run;
  const attributes = () => ({ task_id, task_type, turn, faults, is_undo: isOver });
  return inSpan('task turn', { kind: 'consumer', attributes, parent }, async (span) => {
    if (!isOver) return takeOwedTurn(deps, definition, run, signal, span);
    await undo(deps, definition, run);
    return undefined;
  });
}

async function takeOwedTurn(
  deps: RuntimeDependencies,
  definition: QueuedTask,
  run: TaskRun,
  signal: AbortSignal,
  span: OpenSpan,
): Promise<JobOutcome> {
  try {
    await takeTurn(deps, definition, run, signal);
    return undefined;
  } catch (error) {
    if (error instanceof TaskOver) {
      await afterwards(deps, definition, error.run);
      return undefined;
    }
    if (signal.aborted) throw error;
    span.fail(error);
    if (isAdServerFault(error)) await askAgain(deps, run, error);
    else if (error instanceof AppError) await fail(deps, definition, run, error);
    else await faulted(deps, definition, run, error);
    return { failed: reasonOf(error) };
  }
}

/** For the job queue page. */
function reasonOf(error: unknown): string {
  if (error instanceof AppError) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : 'a fault of an unknown kind';
}

async function takeTurn(
  deps: RuntimeDependencies,
  definition: QueuedTask,
  run: TaskRun,
  signal: AbortSignal,
): Promise<void> {
  const context = createRunContext(deps, run, signal);
  const outcome = await definition.run(run.input, context);
  await conclude(deps, context.run, outcome);
}

/** Writes what the turn came to. */
async function conclude(deps: RuntimeDependencies, run: TaskRun, outcome: RunOutcome): Promise<void> {
  const { task_id, turn } = run;
  if ('waitUntil' in outcome) return park(deps, run, outcome);
  await transition(deps, task_id, (stored) => {
    if (stored.turn !== turn) return undefined;
    const patch = { ...RESTED, run_due_at: null, notified_sequence: run.notified_sequence };
    if ('done' in outcome) {
      return { event: { state: 'completed', message: outcome.message, data: outcome.done }, patch };
    }
    if ('end' in outcome) {
      const { parts } = outcome;
      return { event: { state: outcome.end, message: outcome.end, ...(parts && { parts }) }, patch };
    }
    const { ask, message, parts, state = 'input-required' } = outcome;
    return { event: { state, message, data: ask, ...(parts && { parts }) }, patch };
  });
}

/** A run that has come to a rest forgets its faults: those of days do not add up. */
const RESTED = { faults: 0, waits: 0, waits_for: null } as const;

/** The run waits: for a time, or to be woken. A wake-up that came meanwhile has begun a new turn and is kept. */
async function park(
  deps: RuntimeDependencies,
  run: TaskRun,
  { waitUntil: untilMs, waits_for }: Extract<RunOutcome, { waitUntil: unknown }>,
): Promise<void> {
  const outcome = await deps.runs.update(run.task_id, (stored) => {
    if (stored.turn !== run.turn || stored.run_due_at === null) return undefined;
    const run_due_at = untilMs === undefined ? null : toTimestamp(untilMs);
    return {
      ...notified(stored, run.notified_sequence),
      ...begun(stored),
      run_due_at,
      ...RESTED,
      waits_for: waits_for ?? null,
      turn: stored.turn + 1,
    };
  });
  if (outcome?.changed !== true) return;
  await Promise.all([queueTurn(deps, outcome.row), tellOfWaiting(deps, outcome.row)]);
  if (outcome.row.notify_due_at === null) return;
  // They are on their way, or an earlier attempt at this turn was killed between an event and its deliveries.
  await deps.notifier.notify(outcome.row, { told: () => markNotified(deps, outcome.row) });
}

/** It is no event, and no webhook tells of it: only who waits for the task learns that they need not. */
async function tellOfWaiting(deps: RuntimeDependencies, run: TaskRun): Promise<void> {
  if ((run.waits_for ?? null) !== null) await publishChange(deps, run);
}

/**
 * A known error is the caller's answer. The answer comes first and what was begun is undone after it, owed in the same
 * write: so only the turn that has ended the task undoes, never one that lost against another.
 * `mayEnd`: whether the run as it stands may end so. Answers false, and has changed nothing, when it may not. `last`: the fault that
 * ends it.
 */
async function fail(
  deps: RuntimeDependencies,
  definition: QueuedTask,
  run: TaskRun,
  error: unknown,
  { mayEnd = () => true, last }: { mayEnd?: (stored: TaskRun) => boolean; last?: TaskFault } = {},
): Promise<boolean> {
  const body = knownError(error).toBody();
  const owesUndo = definition.undo !== undefined;
  let isRefused = false;
  try {
    const moved = await transition(deps, run.task_id, (stored) => {
      isRefused = stored.turn === run.turn && !isTerminal(stored.state) && !mayEnd(stored);
      if (stored.turn !== run.turn || isRefused) return undefined;
      return {
        event: { state: 'failed', message: body.message, data: { error: body } },
        patch: {
          ...{ ...RESTED, turn: stored.turn + 1, run_due_at: owesUndo ? toTimestamp(deps.clock.now()) : null },
          ...(last && withFault(stored, last)),
        },
      };
    });
    if (moved === undefined) return !isRefused;
    if (owesUndo) await undo(deps, definition, moved);
  } catch (refused) {
    if (!(refused instanceof TaskOver)) throw refused;
    await afterwards(deps, definition, refused.run);
  }
  return true;
}

/**
 * A fault is not an answer: the turn is owed again, later each time. The {@link MAX_FAULTS}th in a row ends the task, unless it
 * has passed its point of no return: what it has done is not known then, so it stays owed without end, with an alarm each time.
 */
async function faulted(deps: RuntimeDependencies, definition: QueuedTask, run: TaskRun, error: unknown): Promise<void> {
  const { task_id } = run;
  const faults = run.faults + 1;
  const fault = loggedFault(deps, { ...run, faults }, 'turn', error);
  deps.counters?.add('task_faults_total', { task_type: run.task_type });
  if (faults >= MAX_FAULTS) {
    const mayEnd = ({ committed_at }: TaskRun) => committed_at === null;
    if (await fail(deps, definition, run, error, { mayEnd, last: fault })) return;
    deps.log.fatal(
      { task_id, faults },
      'a committed task does not get on: its outcome is not known, and somebody must look',
    );
  }
  const run_due_at = toTimestamp(deps.clock.now() + backoffMs(faults));
  await owe(deps, run, { faults, waits_for: null, run_due_at }, fault);
}

/** What an ad server has answered is not known: it is asked again in a later turn, however often that takes. */
async function askAgain(deps: RuntimeDependencies, run: TaskRun, error: AdServerFault): Promise<void> {
  const waits = run.waits + 1;
  const retryAtMs = error instanceof Unreachable ? error.retryAtMs : undefined;
  const run_due_at = toTimestamp(askAgainMs(retryAtMs, waits, deps.clock.now()));
  // Of the others a person must hear: they do not pass by themselves.
  const level = error instanceof Unreachable ? 'warn' : 'error';
  deps.log[level]({ task_id: run.task_id, waits, run_due_at, err: error }, 'the answer of the ad server is not known');
  await owe(deps, run, { waits, waits_for: 'ad_server', run_due_at });
}

/** The turn is owed again, unless a later one is. */
async function owe(
  deps: RuntimeDependencies,
  run: TaskRun,
  again: Pick<TaskRun, 'waits_for'> & { run_due_at: string; faults?: number; waits?: number },
  fault?: TaskFault,
): Promise<void> {
  const outcome = await deps.runs.update(run.task_id, (stored) => {
    if (stored.turn !== run.turn || stored.run_due_at === null) return undefined;
    const told = fault && withFault(stored, fault);
    return { ...stored, ...again, ...told, ...begun(stored), turn: stored.turn + 1 };
  });
  if (outcome?.changed === true) await Promise.all([queueTurn(deps, outcome.row), tellOfWaiting(deps, outcome.row)]);
}

/** Somebody ended the task while this turn was at work: what the turn did since is undone too. */
async function afterwards(deps: RuntimeDependencies, definition: QueuedTask, run: TaskRun): Promise<void> {
  if (run.state === 'canceled' || run.state === 'failed') await undo(deps, definition, run);
}
