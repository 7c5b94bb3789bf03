import { toTimestamp } from '../platform/clock.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { oldRegistrations } from './old-registrations.ts';
import type { Registration } from './registration.ts';
import { lastSequence } from './task-run.ts';
import type { Ending, TaskRun } from './task-run.ts';
import { markNotified } from './transition.ts';

/**
 * Ends registrations of a task, and what is pending for them: at most an attempt that is on its way still arrives (rule W6.ended). The
 * end and what it owes are one write; killed behind it, the reconciler carries out the rest. May be repeated: what a
 * registration that has ended earlier has pending after all ends too. Of those ended long ago, what may be pending still ends
 * along with them, and they leave the row. Answers whether there is such a task.
 */
export async function endRegistrations(
  deps: Pick<RuntimeDependencies, 'runs' | 'notifier' | 'clock'>,
  task_id: TaskId,
  isMeant: (registration: Registration) => boolean,
): Promise<boolean> {
  const ended_at = toTimestamp(deps.clock.now());
  const outcome = await deps.runs.update(task_id, (run) => withEnded(run, isMeant, ended_at));
  if (outcome?.changed === true) {
    const { row } = outcome;
    await deps.notifier.notify(row, { told: () => markNotified(deps, row) });
  }
  return outcome !== undefined;
}

/** The run with these registrations ended; undefined when it has none of them. Pure. */
function withEnded(
  run: TaskRun,
  isMeant: (registration: Registration) => boolean,
  ended_at: string,
): TaskRun | undefined {
  const end = (one: Registration): Registration => ({ ended_at, ...one });
  const isAsked = run.registrations.map(isMeant);
  const registrations = run.registrations.map((one, place) => (isAsked[place] === true ? end(one) : one));
  const old = new Set(oldRegistrations({ ...run, registrations }));
  const meant = registrations.filter((one, place) => isAsked[place] === true || old.has(one));
  if (meant.length === 0) return undefined;
  const ids = new Set(meant.map(({ registration_id }) => registration_id));
  const { endings = [] } = run;
  const isMeantToo = ({ registration }: Ending) => isMeant(registration) || ids.has(registration.registration_id);
  const after = Math.min(run.notified_sequence, ...endings.filter(isMeantToo).map((ending) => ending.after));
  const ended = meant.map((registration) => ({ registration, after, until: lastSequence(run) }));
  return {
    ...run,
    registrations,
    endings: [...endings.filter((ending) => !isMeantToo(ending)), ...ended],
    notify_due_at: run.notify_due_at ?? ended_at,
  };
}
