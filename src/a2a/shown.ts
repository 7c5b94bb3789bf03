import type { Task } from '@a2a-js/sdk';
import type { Dialects } from '../dialects/dialects.ts';
import { AppError } from '../platform/errors.ts';
import { isInterrupted, isTerminal } from '../runtime/states.ts';
import type { StatusEvent, TaskEvent, TaskRun } from '../runtime/task-run.ts';
import type { A2aCall } from './call.ts';
import { publicView } from './public-view.ts';
import { taskView } from './task-view.ts';
import type { ViewOptions } from './task-view.ts';

export interface ShowDependencies {
  /** The languages of calls besides our own; absent: there are none. */
  dialects?: Dialects | undefined;
}

/** A task as it stands, in the words that it was asked for in. */
export async function shown(
  { dialects }: ShowDependencies,
  run: TaskRun,
  { caller, wire }: Pick<A2aCall, 'caller' | 'wire'>,
  options: ViewOptions = {},
): Promise<Task> {
  if (run.spoken === undefined || dialects === undefined || !hasAnswer(run)) return taskView(run, options);
  const answer = await (options.artifacts === false ? dialects.head(run) : dialects.shown(run, caller));
  return answer === undefined ? taskView(run, options) : publicView(answer, wire, options);
}

/** The same among others: one whose answer cannot be told now, such as a poll of a task that is gone, is shown without it. */
export async function shownInList(
  deps: ShowDependencies,
  run: TaskRun,
  call: Pick<A2aCall, 'caller' | 'wire'>,
  options: ViewOptions,
): Promise<Task> {
  try {
    return await shown(deps, run, call, options);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return shown(deps, run, call, { ...options, artifacts: false });
  }
}

/** Whether an event is told in other words than our own: all but progress of a task that was asked for in others. Pure. */
export function isToldOtherwise(
  { dialects }: ShowDependencies,
  { spoken }: TaskRun,
  event: TaskEvent,
): event is StatusEvent {
  return dialects !== undefined && spoken !== undefined && event.kind === 'status' && hasAnswer(event);
}

/** Work that goes on is shown as it is, whatever its first answer said. */
function hasAnswer({ state }: Pick<TaskRun, 'state'>): boolean {
  return isTerminal(state) || isInterrupted(state);
}
