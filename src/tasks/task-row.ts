import { z } from 'zod';
import { TaskId } from '../platform/task-id.ts';
import { echoed } from '../runtime/context-text.ts';
import { TaskState } from '../runtime/states.ts';
import { currentStatus, dataOf } from '../runtime/task-run.ts';
import type { TaskRun } from '../runtime/task-run.ts';

/** A task as `get_task_status` and `list_tasks` show it. */
export const TaskRow = z.object({
  task_id: TaskId,
  task_type: z.string(),
  status: TaskState,
  message: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Progress while working, the question while input is required, the response or the error when over. */
  result: z.unknown().optional(),
  /** Echoed from the request that began the task. */
  context: z.unknown().optional(),
});
export type TaskRow = z.infer<typeof TaskRow>;

/** The row of a task; `withResult`: with the content of its newest status. */
export function taskRow(run: TaskRun, { withResult }: { withResult: boolean }): TaskRow {
  const { task_id, task_type, state, created_at, updated_at } = run;
  const status = currentStatus(run);
  const { message, parts } = status;
  const result = dataOf(status) ?? parts;
  const context = echoed(run);
  return {
    ...{ task_id, task_type, status: state, message, created_at, updated_at },
    ...(withResult && result !== undefined && { result }),
    ...(context !== undefined && { context }),
  };
}
