import { fromTimestamp } from '../platform/clock.ts';
import type { RuntimeBase } from './dependencies.ts';
import { isTerminal } from './states.ts';
import type { TaskRun } from './task-run.ts';

type Counting = Pick<RuntimeBase, 'counters'>;

/** A task was taken; one that is over as soon as it is taken has been finished, too. */
export function countSubmitted(deps: Counting, run: TaskRun): void {
  deps.counters?.add('tasks_submitted_total', { task_type: run.task_type });
  countFinished(deps, run);
}

/** A task has moved: where that was to its end, it is counted, and how long it took. */
export function countFinished({ counters }: Counting, run: TaskRun): void {
  const { task_type, state, created_at, updated_at } = run;
  if (!isTerminal(state)) return;
  counters?.add('tasks_finished_total', { task_type, state });
  const tookMs = Math.max(0, fromTimestamp(updated_at) - fromTimestamp(created_at));
  counters?.observe('task_duration_seconds', { task_type }, tookMs / 1000);
}
