import { z } from 'zod';

/**
 * Names one task run on every wire and in every row that a task has touched. A brand of the compiler's alone: stored and
 * sent as the text it is, and no other id can stand in its place. Text from outside becomes one by `TaskId.parse`, which
 * refuses no text: whether there is such a task is for `readTask` to say.
 */
export const TaskId = z.string().brand<'TaskId'>();
export type TaskId = z.infer<typeof TaskId>;
