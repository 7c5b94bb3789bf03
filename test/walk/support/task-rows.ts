import { isDeepStrictEqual } from 'node:util';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { mustHold } from './must-hold.ts';

const ENDS = ['completed', 'failed', 'canceled', 'rejected'];
const WAITS = ['input-required', 'auth-required'];

/** The moves that a task may make (rule T1), by themselves and not from the product's own table. */
export const TASK_MOVES: Record<string, readonly string[]> = {
  submitted: ['working', ...WAITS, ...ENDS],
  working: ['working', ...WAITS, 'completed', 'failed', 'canceled'],
  'input-required': ['working', 'submitted', ...ENDS],
  'auth-required': ['working', 'submitted', ...ENDS],
};

export function isOver({ state }: Pick<TaskRun, 'state'>): boolean {
  return ENDS.includes(state);
}

/** Every task that writes, as it was last stored. */
export interface TaskRows {
  /** Takes the row as it is after a write; answers whether it has just ended. @throws {InvariantBroken}. */
  seen(run: TaskRun): boolean;
  last(task_id: string): TaskRun | undefined;
  all(): TaskRun[];
}

export function watchTaskRows(): TaskRows {
  const rows = new Map<string, TaskRun>();
  return {
    seen(run) {
      if (run.is_read === true) return false;
      const before = rows.get(run.task_id);
      if (before !== undefined && run.revision <= before.revision) return false;
      checkEvents(before, run);
      rows.set(run.task_id, run);
      return isOver(run) && (before === undefined || !isOver(before));
    },
    last: (task_id) => rows.get(task_id),
    all: () => [...rows.values()],
  };
}

function checkEvents(before: TaskRun | undefined, run: TaskRun): void {
  const { task_id, events } = run;
  const known = before?.events ?? [];
  mustHold(isDeepStrictEqual(events.slice(0, known.length), known), 'T1', () => `events of ${task_id} are changed`);
  const states = events.flatMap((event) => (event.kind === 'status' ? [event.state] : []));
  const isLegal = states.every((state, i) => i === 0 || (TASK_MOVES[states[i - 1] ?? ''] ?? []).includes(state));
  mustHold(isLegal && states.at(-1) === run.state, 'T1', () => `${task_id} went ${states.join(', ')}, is ${run.state}`);
  if (before === undefined) return;
  const isKept = before.committed_at === null || before.committed_at === run.committed_at;
  mustHold(isKept, 'T1', () => `${task_id} takes its point of no return back`);
  mustHold(run.state !== 'canceled' || run.committed_at === null, 'I1', () => `${task_id} is canceled, and committed`);
}
