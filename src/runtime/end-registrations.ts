import { toTimestamp } from '../platform/clock.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import type { Registration } from './registration.ts';
import { lastSequence } from './task-run.ts';
import type { Ending, TaskRun } from './task-run.ts';
import { markNotified } from './transition.ts';

/**
 * Ends registrations of a task, and what is pending for them: at most an attempt that is on its way still arrives (rule W6.ended). The
 * end and what it owes are one write; killed behind it, the reconciler carries out the rest. May be repeated: what a
 * registration that has ended earlier has pending after all ends too. Answers whether there is such a task.
 */
export async function endRegistrations(
  deps: Pick<RuntimeDependencies, 'runs' | 'notifier' | 'clock'>,
  task_id: TaskId,
  isMeant: (registration: Registration) => boolean,
): Promise<boolean> {
  const ended_at = toTimestamp(deps.clock.now());
  const outcome = await deps.runs.update(task_id, (run) => withEnded(run, isMeant, ended_at));
  if (outcome?.changed === true) {
    await deps.notifier.notify(outcome.row);
    await markNotified(deps, outcome.row);
  }
  return outcome !== undefined;
}

/** The run with these registrations ended; undefined when it has none of them. Pure. */
function withEnded(
  run: TaskRun,
  isMeant: (registration: Registration) => boolean,
  ended_at: string,
): TaskRun | undefined {
  const meant = new Set(run.registrations.filter(isMeant));
  if (meant.size === 0) return undefined;
  const end = (one: Registration): Registration => ({ ended_at, ...one });
  const registrations = run.registrations.map((one) => (meant.has(one) ? end(one) : one));
  const { endings = [] } = run;
  const isMeantToo = ({ registration }: Ending) => isMeant(registration);
  const after = Math.min(run.notified_sequence, ...endings.filter(isMeantToo).map((ending) => ending.after));
  const ended = [...meant].map((one) => ({ registration: end(one), after, until: lastSequence(run) }));
  return {
    ...run,
    registrations,
    endings: [...endings.filter((ending) => !isMeantToo(ending)), ...ended],
    notify_due_at: run.notify_due_at ?? ended_at,
  };
}
