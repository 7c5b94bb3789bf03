import { z } from 'zod';
import { instantRange } from '../instant-range.ts';
import { Instant } from '../../platform/instant.ts';
import { totalInWords } from '../../runtime/list.ts';
import { inlineTask } from '../../runtime/task-definition.ts';
import type { TaskDefinition } from '../../runtime/task-definition.ts';
import { TaskState } from '../../runtime/states.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { readFields } from '../mutation-fields.ts';
import { pageEnd, pageFields, pageView } from '../paging.ts';
import { taskRow, TaskRow } from '../task-row.ts';

const TaskType = z.string().max(128, 'must be at most 128 characters');

/** The request of `list_tasks` (rules B8, T4, T8). All filters that are given must hold; an empty list asks nothing. */
export const ListTasksRequest = z.strictObject({
  status: TaskState.optional(),
  statuses: z
    .array(TaskState)
    .max(8, 'must be at most 8')
    .optional()
    .describe('In one of these; with status: in one of all.'),
  task_type: TaskType.optional(),
  task_types: z
    .array(TaskType)
    .max(50, 'must be at most 50')
    .optional()
    .describe('Of one of these; with task_type: of one of all.'),
  task_ids: z
    .array(z.string().max(512, 'must be at most 512 characters'))
    .max(100, 'must be at most 100')
    .optional()
    .describe('Those of these that are yours; one that is not is left out.'),
  created_after: Instant.optional().describe('Taken after that.'),
  created_before: Instant.optional().describe('Taken before that.'),
  updated_since: Instant.optional().describe('Tasks whose status changed then or later.'),
  updated_before: Instant.optional().describe('Tasks whose status changed last before that.'),
  sort: z
    .strictObject({
      field: z.enum(['created_at', 'updated_at']).default('updated_at'),
      direction: z.enum(['asc', 'desc']).default('desc'),
    })
    .optional()
    .describe('The order; the one whose status changed last comes first unless said otherwise.'),
  include_reads: z
    .boolean()
    .optional()
    .describe('With those that only read; those that a type or an id names are there without.'),
  ...pageFields,
  ...readFields,
});
export type ListTasksRequest = z.infer<typeof ListTasksRequest>;

/** The response of `list_tasks`. */
export const ListTasksResponse = z.object({ tasks: z.array(TaskRow), total: z.int(), ...pageView });

/**
 * Lists the caller's tasks, the one that changed last first unless asked otherwise (rules B8, T4, T5, T8). Results are told by `get_task_status`.
 */
export function listTasks({ tasks }: TaskDependencies): TaskDefinition {
  return inlineTask<ListTasksRequest>({
    name: 'list_tasks',
    title: 'List tasks',
    description:
      'Lists your tasks, the one that changed last first; filters by statuses, types, ids and times. Those that only read come with include_reads.',
    tags: ['tasks'],
    examples: [{ title: 'Media buys being made', input: { task_type: 'create_media_buy', status: 'working' } }],
    scope: 'tasks:read',
    input: ListTasksRequest,
    output: ListTasksResponse,
    async answer({ limit, cursor, ...asked }, { caller }) {
      const { status, statuses = [], task_type, task_types = [], task_ids, include_reads, sort } = asked;
      const filter = {
        states: [...(status === undefined ? [] : [status]), ...statuses],
        task_types: [...(task_type === undefined ? [] : [task_type]), ...task_types],
        created_at: instantRange({ gt: asked.created_after, lt: asked.created_before }),
        updated_at: instantRange({ gte: asked.updated_since, lt: asked.updated_before }),
        ...{ task_ids, include_reads, sort },
      };
      const page = await tasks.list(caller, filter, limit, cursor);
      const rows = page.runs.map((run) => taskRow(run, { withResult: false }));
      const result = { tasks: rows, total: page.total, ...pageEnd(page.cursor) };
      return { result, message: `${rows.length} of ${totalInWords(page.total)} tasks` };
    },
  });
}
