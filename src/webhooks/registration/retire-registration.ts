import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { TaskRun } from '../../runtime/task-run.ts';

/** Ends one registration of a task from the seller's side, whatever its channel: later events make no deliveries to it. Repeats do nothing. */
export async function retireRegistration(
  deps: { runs: Collection<TaskRun>; clock: Clock },
  task_id: TaskId,
  registration_id: string,
): Promise<void> {
  const ended_at = toTimestamp(deps.clock.now());
  await deps.runs.update(task_id, (run) => {
    const isLive = (registration: { registration_id: string; ended_at?: string | undefined }) =>
      registration.registration_id === registration_id && registration.ended_at === undefined;
    if (!run.registrations.some(isLive)) return undefined;
    return {
      ...run,
      registrations: run.registrations.map((registration) =>
        isLive(registration) ? { ...registration, ended_at } : registration,
      ),
    };
  });
}
