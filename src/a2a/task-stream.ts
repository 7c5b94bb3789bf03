import type { StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { AppError } from '../platform/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isInterrupted, isTerminal } from '../runtime/states.ts';
import { lastSequence } from '../runtime/task-run.ts';
import type { StatusEvent, TaskEvent, TaskRun } from '../runtime/task-run.ts';
import type { A2aCall } from './call.ts';
import { checkedTaskId } from './message-check.ts';
import { isToldOtherwise, shown } from './shown.ts';
import type { ShowDependencies } from './shown.ts';
import { artifactView, resultArtifact, statusView } from './task-view.ts';
import type { ViewOptions } from './task-view.ts';

type StreamDependencies = ShowDependencies & { runtime: Pick<Runtime, 'follow' | 'read'> };

export interface TaskStreamOptions extends ViewOptions {
  /** Ends also when the task waits for its caller, whose next message has a stream of its own. */
  untilInterrupted: boolean;
}

/**
 * A task as it stands, then everything that becomes of it, on whichever server and worker: nothing lost, nothing twice.
 * Ends with the task's final status, or when the client has gone.
 */
export async function* taskStream(
  deps: StreamDependencies,
  run: TaskRun,
  call: A2aCall,
  options: TaskStreamOptions,
): AsyncGenerator<StreamResponse, void, undefined> {
  yield { payload: { $case: 'task', value: await shown(deps, run, call, options) } };
  if (isOver(run, call, options)) return;
  for await (const sighting of deps.runtime.follow(run.task_id, lastSequence(run), call.signal)) {
    for (const event of sighting.events) {
      for (const response of await eventView(deps, sighting.run, event, call, options)) {
        await call.ready();
        if (call.signal.aborted) return;
        yield response;
      }
    }
    if (isOver(sighting.run, call, options)) return;
  }
}

/**
 * Follows a task that is under way.
 * @throws {AppError} `TASK_NOT_FOUND`; `INVALID_STATE` when the task is over, so that there is nothing to follow.
 */
export async function* subscription(
  deps: StreamDependencies,
  task_id: string,
  call: A2aCall,
): AsyncGenerator<StreamResponse, void, undefined> {
  const run = await deps.runtime.read(call.caller, checkedTaskId(task_id, 'id'));
  if (isTerminal(run.state)) {
    throw new AppError('INVALID_STATE', `the task is ${run.state}; read it instead`, { field: 'id' });
  }
  yield* taskStream(deps, run, call, { untilInterrupted: false });
}

/** To clients of 0.3 a question of the public protocol is told by a task that is completed. */
function isOver({ state, spoken }: TaskRun, { wire }: A2aCall, { untilInterrupted }: TaskStreamOptions): boolean {
  const endsAsItAsks = untilInterrupted || (spoken !== undefined && wire === '0.3');
  return isTerminal(state) || (endsAsItAsks && isInterrupted(state));
}

/** One stored event on the wire; a status with content of its own is told as that and then the status. */
async function eventView(
  deps: StreamDependencies,
  run: TaskRun,
  event: TaskEvent,
  call: A2aCall,
  options: ViewOptions,
): Promise<StreamResponse[]> {
  const of = { taskId: run.task_id, contextId: run.context_id, metadata: undefined };
  if (event.kind === 'artifact') {
    const { append = false, last_chunk = false } = event.artifact;
    const value = { ...of, artifact: artifactView(event.artifact, options.takes), append, lastChunk: last_chunk };
    return [{ payload: { $case: 'artifactUpdate', value } }];
  }
  const { artifacts, status } = isToldOtherwise(deps, run, event)
    ? await shown(deps, asOf(run, event), call, options)
    : ownView(run, event, options);
  return [
    ...artifacts.map((artifact) => ({
      payload: { $case: 'artifactUpdate' as const, value: { ...of, artifact, append: false, lastChunk: true } },
    })),
    { payload: { $case: 'statusUpdate', value: { ...of, status } } },
  ];
}

function ownView(
  run: TaskRun,
  event: StatusEvent,
  { takes }: ViewOptions,
): Pick<Task, 'artifacts'> & { status: TaskStatus } {
  const result = resultArtifact(event);
  return {
    artifacts: result === undefined ? [] : [artifactView(result, takes)],
    status: statusView(run, event, takes),
  };
}

/** The run as it stood with this event, which may not be its last. */
function asOf(run: TaskRun, { sequence, state }: StatusEvent): TaskRun {
  return { ...run, state, events: run.events.filter((one) => one.sequence <= sequence) };
}
