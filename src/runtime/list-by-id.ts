import { decodeCursor, encodeCursor } from '../platform/store/collection-cursor.ts';
import type { Collection, Condition, Where } from '../platform/store/collection.ts';
import type { TaskRun } from './task-run.ts';

/** The order of a list of tasks; the one whose status changed last comes first unless said otherwise. */
export interface TaskSort {
  field: 'created_at' | 'updated_at';
  direction: 'asc' | 'desc';
}

/**
 * Those of some tasks that fit, a page at a time, read by their ids: a store that chose another way would walk all tasks of the
 * organization. At most a hundred ids.
 * @throws {AppError} `INVALID_REQUEST`, field `cursor`, for a cursor that this list did not give.
 */
export async function listById(
  runs: Collection<TaskRun>,
  ids: readonly string[],
  { where, sort, limit, after }: { where: Where<TaskRun>; sort: TaskSort; limit: number; after: string | undefined },
): Promise<{ rows: TaskRun[]; cursor?: string; total: number }> {
  const of = ['by_id', [...ids].sort(), sort, Object.entries(where).sort()];
  const begin = after === undefined ? undefined : decodeCursor(of, after);
  const found = await runs.getMany([...new Set(ids)], { skipUnreadable: true });
  const fitting = found.filter((run) => fits(run, where));
  const way = sort.direction === 'desc' ? -1 : 1;
  const sorted = fitting.toSorted((a, b) => way * compared(a, { value: b[sort.field], key: b.task_id }, sort));
  const left = begin === undefined ? sorted : sorted.filter((run) => way * compared(run, begin, sort) > 0);
  const rows = left.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = last !== undefined && left.length > limit;
  return {
    ...{ rows, total: fitting.length },
    ...(hasMore && { cursor: encodeCursor(of, { value: last[sort.field], key: last.task_id }) }),
  };
}

function compared(run: TaskRun, { value, key }: { value: unknown; key: string }, { field }: TaskSort): number {
  const [one, other] = [`${run[field]} ${run.task_id}`, `${String(value)} ${key}`];
  return one < other ? -1 : Number(one > other);
}

function fits(run: TaskRun, where: Where<TaskRun>): boolean {
  return Object.entries<Condition | undefined>(where).every(([field, condition]) => {
    const value = (run[field as keyof TaskRun] ?? null) as string | boolean | null;
    if (condition === undefined || condition === null || typeof condition !== 'object') return value === condition;
    if ('in' in condition) return condition.in.includes(value);
    const { gt, gte, lt, lte } = condition;
    const at = String(value);
    return (
      (gt === undefined || at > String(gt)) &&
      (gte === undefined || at >= String(gte)) &&
      (lt === undefined || at < String(lt)) &&
      (lte === undefined || at <= String(lte))
    );
  });
}
