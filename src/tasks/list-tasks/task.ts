import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { totalInWords } from '../../runtime/list.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { TaskState } from '../../runtime/states.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { readFields } from '../mutation-fields.ts';
import { pageEnd, pageFields, pageView } from '../paging.ts';
import { taskRow, TaskRow } from '../task-row.ts';

/** The request of `list_tasks` (rules B8, T4, T8). */
export const ListTasksRequest = z.strictObject({
  status: TaskState.optional(),
  task_type: z.string().max(128, 'must be at most 128 characters').optional(),
  updated_since: z.iso
    .datetime({ offset: true, error: 'send an RFC 3339 date-time with an offset' })
    .optional()
    .describe('Tasks whose status changed then or later.'),
  include_reads: z
    .boolean()
    .optional()
    .describe('With those that only read; one that task_type names is there without.'),
  ...pageFields,
  ...readFields,
});
export type ListTasksRequest = z.infer<typeof ListTasksRequest>;

/** The response of `list_tasks`. */
export const ListTasksResponse = z.object({ tasks: z.array(TaskRow), total: z.int(), ...pageView });

/**
 * Lists the caller's tasks, the one that changed last first (rules B8, T4, T5, T8). Results are told by `get_task_status`.
 */
export function listTasks({ tasks }: TaskDependencies): TaskDefinition {
  return inlineTask<ListTasksRequest>({
    name: 'list_tasks',
    title: 'List tasks',
    description:
      'Lists your tasks, the one that changed last first; filters by status, task and time. Those that only read come with include_reads.',
    tags: ['tasks'],
    examples: [{ title: 'Media buys being made', input: { task_type: 'create_media_buy', status: 'working' } }],
    scope: 'tasks:read',
    input: ListTasksRequest,
    output: ListTasksResponse,
    async answer({ status, task_type, updated_since, include_reads, limit, cursor }, { caller }) {
      const filter = {
        ...{ state: status, task_type, include_reads },
        updated_since: updated_since && toTimestamp(Date.parse(updated_since)),
      };
      const page = await tasks.list(caller, filter, limit, cursor);
      const rows = page.runs.map((run) => taskRow(run, { withResult: false }));
      const result = { tasks: rows, total: page.total, ...pageEnd(page.cursor) };
      return { result, message: `${rows.length} of ${totalInWords(page.total)} tasks` };
    },
  });
}
