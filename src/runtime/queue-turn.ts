import { fromTimestamp } from '../platform/clock.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { QueuedJob } from '../platform/queue/queue.ts';
import { warnSparingly } from '../platform/sparing-log.ts';
import { belonging, openSpan } from '../platform/telemetry/spans.ts';
import type { OpenSpan } from '../platform/telemetry/spans.ts';
import { within } from '../platform/within.ts';
import type { RunJob, RuntimeBase } from './dependencies.ts';
import type { TaskRun } from './task-run.ts';

const TIMEOUT_MS = 2_000;

/**
 * Queues the turn that a run owes, under an id derived from the row. The store has already said that it is owed, so a
 * queue that does not answer delays it and loses nothing: the reconciler queues it again.
 */
export async function queueTurn(
  deps: RuntimeBase,
  run: TaskRun,
  span: OpenSpan = openPublish(run, belonging(run.traceparent)),
): Promise<void> {
  if (run.run_due_at === null) return;
  const { id, data, options } = turnJob(deps, run);
  await span.run(() => attempt(deps, run.task_id, deps.queue.add(id, data, options)));
  span.end();
}

/**
 * The span of handing a turn to the queue. It may begin before the row is written, so that the row can say what its turns are below;
 * where nothing is queued after all, it is never ended, and never told.
 */
export function openPublish({ task_id, turn }: TaskRun, place: ReturnType<typeof belonging> = {}): OpenSpan {
  const attributes = () => {
    return { 'messaging.system': 'bullmq', 'messaging.destination.name': 'task-runs', task_id, turn };
  };
  return openSpan('task-runs publish', { kind: 'producer', attributes, ...place });
}

/** The job of the turn that a run owes. */
export function turnJob({ clock }: Pick<RuntimeBase, 'clock'>, run: TaskRun): QueuedJob<RunJob> {
  const { task_id, turn, organization_id, run_due_at } = run;
  const delayMs = Math.max(0, fromTimestamp(run_due_at ?? '') - clock.now());
  return { id: `${task_id}-${turn}`, data: { task_id, turn, organization_id }, options: { delayMs } };
}

/** Tells every process that a task has changed. May be lost: followers look by themselves now and then. */
export async function publishChange(deps: RuntimeBase, run: TaskRun): Promise<void> {
  await attempt(deps, run.task_id, deps.changeSignal.publish(TASK_TOPIC, run.task_id));
}

/** Topic of the signal that says which task changed. */
export const TASK_TOPIC = 'task-runs';

async function attempt(deps: RuntimeBase, task_id: TaskId, work: Promise<void>): Promise<void> {
  try {
    await within(TIMEOUT_MS, work, () => {
      warnSparingly(deps.log, { task_id }, 'the queue does not answer; the reconciler will queue this task');
    });
  } catch (error) {
    warnSparingly(deps.log, { task_id, err: error }, 'the queue refused; the reconciler will queue this task');
  }
}
