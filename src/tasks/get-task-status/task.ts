import { z } from 'zod';
import { TaskId } from '../../platform/task-id.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { EXAMPLE_TASK_ID } from '../example-ids.ts';
import { readFields } from '../mutation-fields.ts';
import { taskRow, TaskRow } from '../task-row.ts';

/** The request of `get_task_status` (rule T4). */
export const GetTaskStatusRequest = z.strictObject({
  task_id: TaskId.min(1, 'must not be empty')
    .max(512, 'must be at most 512 characters')
    .describe('The id that the task was answered with.'),
  ...readFields,
});
export type GetTaskStatusRequest = z.infer<typeof GetTaskStatusRequest>;

/** Tells how a task stands (rule T4). Another's task answers as an unknown one (rule T5). */
export function getTaskStatus({ tasks }: TaskDependencies): TaskDefinition {
  return inlineTask<GetTaskStatusRequest>({
    name: 'get_task_status',
    title: 'Get task status',
    description: 'Tells how one of your tasks stands, with its progress, question, response or error.',
    tags: ['tasks'],
    examples: [{ title: 'A task by its id', input: { task_id: EXAMPLE_TASK_ID } }],
    scope: 'tasks:read',
    input: GetTaskStatusRequest,
    output: TaskRow,
    async answer({ task_id }, { caller }) {
      const run = await tasks.read(caller, task_id);
      return { result: { ...taskRow(run, { withResult: true }) }, message: `the task is ${run.state}` };
    },
  });
}
