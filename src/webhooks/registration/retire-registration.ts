import type { Clock } from '../../platform/clock.ts';
import { isSameUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { TaskId } from '../../platform/task-id.ts';
import { endRegistrations } from '../../runtime/end-registrations.ts';
import type { Notifier } from '../../runtime/notifier.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import type { Delivery } from '../delivery/delivery.ts';

interface RetireDependencies {
  runs: Collection<TaskRun>;
  notifier: Notifier;
  clock: Clock;
}

/** Ends one registration of a task as the seller wishes, whatever its channel, with what is pending for it. */
export async function retireRegistration(
  deps: RetireDependencies,
  task_id: TaskId,
  registration_id: string,
): Promise<void> {
  await endRegistrations(deps, task_id, (one) => one.registration_id === registration_id);
}

/**
 * Ends the registration that a receiver has called gone: as it was when it was told, not one that leads elsewhere by now. Answers
 * whether it was a task's.
 */
export async function retireGone(
  deps: RetireDependencies & { sealer: Sealer },
  { task_id, registration_id, url }: Pick<Delivery, 'task_id' | 'registration_id' | 'url'>,
): Promise<boolean> {
  // What is no task's, such as a report, finds no run and ends nothing here.
  return endRegistrations(
    deps,
    TaskId.parse(task_id),
    (one) =>
      one.registration_id === registration_id && one.ended_at === undefined && isSameUrl(deps.sealer, one.url, url),
  );
}
