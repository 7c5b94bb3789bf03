import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { Where } from '../platform/store/collection.ts';
import type { RuntimeBase } from './dependencies.ts';
import type { TaskState } from './states.ts';
import type { TaskRun } from './task-run.ts';

/** Tasks that only read are among them where `task_type` or `context_id` says which are meant, or `include_reads` (rule T8). */
export interface TaskFilter {
  context_id?: string | undefined;
  state?: TaskState | undefined;
  task_type?: string | undefined;
  /** Tasks whose status changed at this instant or later; a timestamp of `toTimestamp`. */
  updated_since?: string | undefined;
  include_reads?: boolean | undefined;
}

export interface TaskPage {
  /** The status that changed last comes first. */
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
  const { updated_since, context_id, state, task_type } = filter;
  const hasReads = filter.include_reads === true || context_id !== undefined || task_type !== undefined;
  const where: Where<TaskRun> = {
    organization_id: caller.organization_id,
    ...(!hasReads && { is_read: null }),
    ...(context_id !== undefined && { context_id }),
    ...(state !== undefined && { state }),
    ...(task_type !== undefined && { task_type }),
    ...(updated_since !== undefined && { updated_at: { gte: updated_since } }),
  };
  const sort = { field: 'updated_at', direction: 'desc' } as const;
  const [page, total] = await Promise.all([
    deps.runs.find({ where, sort, limit, ...(cursor !== undefined && { after: cursor }) }),
    deps.runs.count(where, { most: MOST_COUNTED }),
  ]);
  return { runs: page.rows, total, ...(page.cursor !== undefined && { cursor: page.cursor }) };
}
