import type { Collection } from '../platform/store/collection.ts';
import type { OrganizationId } from '../platform/organization-id.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import type { TaskRun } from './task-run.ts';

/** @throws {AppError} `RATE_LIMITED`, budget `tasks_queued`. */
export type AssertRoom = () => Promise<void>;

/** Requests of each organization that this process is about to store, by the collection they go to. */
const arriving = new WeakMap<Collection<TaskRun>, Map<OrganizationId, number>>();

/**
 * Does `work`, which asks whether its organization may have one more task queued and then stores it. Those that have not begun
 * are counted in the store, so that every process knows them and no flush forgets them; those that this process is about to
 * store are counted with them, so that a burst gets no further.
 */
export async function queueing<T>(
  { runs, budgets }: Pick<RuntimeDependencies, 'runs' | 'budgets'>,
  organization_id: OrganizationId,
  work: (assertRoom: AssertRoom) => Promise<T>,
): Promise<T> {
  const counts = arriving.get(runs) ?? new Map<OrganizationId, number>();
  arriving.set(runs, counts);
  const count = () => counts.get(organization_id) ?? 0;
  let letGo: () => void = () => undefined;
  try {
    return await work(async () => {
      if (budgets === undefined) return;
      const place = count() + 1;
      counts.set(organization_id, place);
      letGo = () => {
        if (count() > 1) counts.set(organization_id, count() - 1);
        else counts.delete(organization_id);
      };
      const most = budgets.size('tasks_queued');
      const queued = await runs.count({ organization_id, is_unbegun: true }, { most });
      if (queued + place > most) throw budgets.refusal('tasks_queued');
    });
  } finally {
    letGo();
  }
}
