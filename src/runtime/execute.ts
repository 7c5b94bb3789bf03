import { toTimestamp } from '../platform/clock.ts';
import { AppError, errorBodyOf } from '../platform/errors.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { move, settle, TaskOver } from './move.ts';
import { queueTurn } from './queue-turn.ts';
import { createRunContext } from './run-context.ts';
import { callContext } from './submit.ts';
import type { QueuedTask, RunOutcome } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';

/** How many unexpected failures a run survives; the next one ends it as `INTERNAL_ERROR`. */
export const MOST_FAULTS = 5;

/**
 * Does one turn of a task. Safe to repeat, and to be killed anywhere: what is owed stays owed in the row.
 * @throws when `signal` aborted, so that the job is handed back.
 */
export async function execute(
  deps: RuntimeDependencies,
  job: { task_id: string; turn: number },
  signal: AbortSignal,
): Promise<void> {
  const run = await deps.runs.get(job.task_id);
  if (run === undefined) return;
  const definition = deps.tasks.get(run.task_type);
  if (definition?.mode !== 'queued') throw new Error(`no queued task is called ${run.task_type}`);
  if (run.state === 'canceled') return undo(deps, definition, run);
  if (run.turn !== job.turn || run.run_due_at === null) return;
  try {
    await takeTurn(deps, definition, run, signal);
  } catch (error) {
    if (error instanceof TaskOver) return afterwards(deps, definition, error.run);
    if (signal.aborted) throw error;
    if (error instanceof AppError) return fail(deps, definition, run, error);
    await fault(deps, definition, run, error);
  }
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
  if ('waitUntil' in outcome) return park(deps, run, outcome.waitUntil);
  const moved = await move(deps, task_id, (stored) => {
    if (stored.turn !== turn) return undefined;
    const along = { run_due_at: null, notified_sequence: run.notified_sequence };
    if ('done' in outcome) {
      return { draft: { state: 'completed', message: outcome.message, data: outcome.done }, along };
    }
    if ('end' in outcome) {
      const { parts } = outcome;
      return { draft: { state: outcome.end, message: outcome.end, ...(parts && { parts }) }, along };
    }
    const { ask, message, parts } = outcome;
    return { draft: { state: 'input-required', message, data: ask, ...(parts && { parts }) }, along };
  });
  if (moved !== undefined) await settle(deps, moved);
}

/** The run waits: for a time, or to be woken. A wake-up that came meanwhile has begun a new turn and is kept. */
async function park(deps: RuntimeDependencies, run: TaskRun, untilMs: number | undefined): Promise<void> {
  const outcome = await deps.runs.update(run.task_id, (stored) => {
    if (stored.turn !== run.turn || stored.run_due_at === null) return undefined;
    const run_due_at = untilMs === undefined ? null : toTimestamp(untilMs);
    return { ...stored, run_due_at, turn: stored.turn + 1 };
  });
  if (outcome?.changed === true) await queueTurn(deps, outcome.row);
  if (outcome !== undefined) await settle(deps, outcome.row);
}

/** A known error is the caller's answer: what was begun is undone first, then the task fails. */
async function fail(deps: RuntimeDependencies, definition: QueuedTask, run: TaskRun, error: AppError): Promise<void> {
  try {
    await definition.undo?.(run.input, { ...contextOf(deps, run), run });
  } catch (trouble) {
    return fault(deps, definition, run, trouble);
  }
  await end(deps, run, error);
}

async function end(deps: RuntimeDependencies, run: TaskRun, error: unknown): Promise<void> {
  const body = errorBodyOf(error);
  try {
    const moved = await move(deps, run.task_id, () => ({
      draft: { state: 'failed', message: body.message, data: { error: body } },
    }));
    if (moved !== undefined) await settle(deps, moved);
  } catch (refused) {
    if (!(refused instanceof TaskOver)) throw refused;
  }
}

/** A fault is not an answer: the turn is owed again, later each time, and only the last one ends the task. */
async function fault(deps: RuntimeDependencies, definition: QueuedTask, run: TaskRun, error: unknown): Promise<void> {
  deps.log.error({ task_id: run.task_id, faults: run.faults + 1, err: error }, 'task fault');
  if (run.faults + 1 >= MOST_FAULTS) {
    await definition.undo?.(run.input, { ...contextOf(deps, run), run });
    return end(deps, run, error);
  }
  const outcome = await deps.runs.update(run.task_id, (stored) => {
    if (stored.turn !== run.turn || stored.run_due_at === null) return undefined;
    const faults = stored.faults + 1;
    const run_due_at = toTimestamp(deps.clock.now() + 250 * 4 ** faults);
    return { ...stored, faults, turn: stored.turn + 1, run_due_at };
  });
  if (outcome?.changed === true) await queueTurn(deps, outcome.row);
}

/** Somebody ended the task while this turn was at work. */
async function afterwards(deps: RuntimeDependencies, definition: QueuedTask, run: TaskRun): Promise<void> {
  if (run.state === 'canceled') await undo(deps, definition, run);
}

/** Undoes what a canceled task has begun, and notes that nothing is owed any more. */
async function undo(deps: RuntimeDependencies, definition: QueuedTask, run: TaskRun): Promise<void> {
  await definition.undo?.(run.input, { ...contextOf(deps, run), run });
  if (run.run_due_at === null) return;
  await deps.runs.update(run.task_id, (stored) => ({ ...stored, run_due_at: null }));
}

function contextOf(deps: RuntimeDependencies, run: TaskRun) {
  const { organization_id, principal_id, task_id } = run;
  return callContext(deps, { organization_id, principal_id, scopes: ['tasks:read', 'tasks:write'] }, task_id);
}
