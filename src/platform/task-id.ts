import { createHash } from 'node:crypto';
import { z } from 'zod';

/**
 * Names one task run on every wire and in every row that a task has touched. A brand of the compiler's alone: stored and
 * sent as the text it is, and no other id can stand in its place. Text from outside becomes one by `TaskId.parse`, which
 * refuses no text: whether there is such a task is for `readTask` to say.
 */
export const TaskId = z.string().brand<'TaskId'>();
export type TaskId = z.infer<typeof TaskId>;

/** Whether an id has the form of those that are made here at random. */
export function isRandomId(id: string): boolean {
  return /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(id);
}

/** What ids that are made from a task's have of it: 32 hexadecimal digits, others for each task, whatever form its id has. */
export function partOfIds(task_id: TaskId): string {
  if (isRandomId(task_id)) return task_id.replaceAll('-', '');
  return createHash('sha256').update(task_id).digest('hex').slice(0, 32);
}
