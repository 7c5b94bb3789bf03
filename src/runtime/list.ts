import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { Condition, Where } from '../platform/store/collection.ts';
import type { RuntimeBase } from './dependencies.ts';
import { listById } from './list-by-id.ts';
import type { TaskSort } from './list-by-id.ts';
import type { TaskState } from './states.ts';
import type { TaskRun } from './task-run.ts';

/**
 * Which tasks, and in which order. An empty list asks nothing. Tasks that only read are among them where `task_types`, `task_ids` or
 * `context_id` say which are meant, or `include_reads` (rule T8).
 */
export interface TaskFilter {
  context_id?: string | undefined;
  states?: readonly TaskState[] | undefined;
  task_types?: readonly string[] | undefined;
  task_ids?: readonly string[] | undefined;
  /** When they were taken, as a range of timestamps of `toTimestamp`. */
  created_at?: Range | undefined;
  /** When their status changed last, likewise. */
  updated_at?: Range | undefined;
  include_reads?: boolean | undefined;
  sort?: TaskSort | undefined;
}

type Range = Extract<Condition, { gt?: unknown }>;

const LAST_CHANGED_FIRST: TaskSort = { field: 'updated_at', direction: 'desc' };

export interface TaskPage {
  runs: TaskRun[];
  /** Present exactly when there is more. */
  cursor?: string;
  /** Tasks on all pages; {@link MOST_COUNTED} stands for so many or more. */
  total: number;
}

/** The highest total that a list tells (rule T5.total): it costs the same however many there are. */
export const MOST_COUNTED = 1_000;

/** A total in words. */
export function totalInWords(total: number): string {
  return total < MOST_COUNTED ? String(total) : `${MOST_COUNTED} or more`;
}

/**
 * The caller's own tasks (rules T5, T8), a page at a time.
 * @param limit 1 to 100.
 * @throws {AppError} `FORBIDDEN`; `INVALID_REQUEST` for a cursor that this filter did not give.
 */
export async function listRuns(
  deps: RuntimeBase,
  caller: Caller,
  filter: TaskFilter,
  limit: number,
  cursor?: string,
): Promise<TaskPage> {
  if (!caller.scopes.includes('tasks:read')) {
    throw new AppError('FORBIDDEN', 'this credential lacks the scope tasks:read');
  }
  const { context_id, states = [], task_types = [], task_ids = [], created_at, updated_at } = filter;
  const { sort = LAST_CHANGED_FIRST } = filter;
  const hasReads =
    filter.include_reads === true || context_id !== undefined || task_types.length > 0 || task_ids.length > 0;
  const where: Where<TaskRun> = {
    organization_id: caller.organization_id,
    ...(!hasReads && { is_read: null }),
    ...(context_id !== undefined && { context_id }),
    ...(states.length > 0 && { state: anyOf(states) }),
    ...(task_types.length > 0 && { task_type: anyOf(task_types) }),
    ...(created_at !== undefined && { created_at }),
    ...(updated_at !== undefined && { updated_at }),
  };
  if (task_ids.length > 0) {
    const { rows, ...end } = await listById(deps.runs, task_ids, { where, sort, limit, after: cursor });
    return { runs: rows, ...end };
  }
  const eachInItsOrder = hasReads && sort.field === 'created_at' ? { is_read: WHETHER_OR_NOT } : {};
  const [page, total] = await Promise.all([
    deps.runs.find({
      where: { ...where, ...eachInItsOrder },
      sort,
      limit,
      ...(cursor !== undefined && { after: cursor }),
    }),
    deps.runs.count(where, { most: MOST_COUNTED }),
  ]);
  return { runs: page.rows, total, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}

/** An index that keeps the two apart is read once for each, in its order. */
const WHETHER_OR_NOT: Condition = { in: [null, true] };

function anyOf(values: readonly string[]): Condition {
  const all = [...new Set(values)].sort();
  return all.length === 1 ? (all[0] ?? null) : { in: all };
}
