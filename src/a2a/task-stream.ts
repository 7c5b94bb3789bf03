import type { StreamResponse } from '@a2a-js/sdk';
import { AppError } from '../platform/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { isInterrupted, isTerminal } from '../runtime/states.ts';
import { lastSequence } from '../runtime/task-run.ts';
import type { TaskEvent, TaskRun } from '../runtime/task-run.ts';
import type { A2aCall } from './call.ts';
import { checkedTaskId } from './message-check.ts';
import { artifactView, resultArtifact, statusView, taskView } from './task-view.ts';
import type { ViewOptions } from './task-view.ts';

export interface TaskStreamOptions extends ViewOptions {
  /** Ends also when the task waits for its caller, whose next message has a stream of its own. */
  untilInterrupted: boolean;
}

/**
 * A task as it stands, then everything that becomes of it, on whichever server and worker: nothing lost, nothing twice.
 * Ends with the task's final status, or when the client has gone.
 */
export async function* taskStream(
  runtime: Runtime,
  run: TaskRun,
  call: A2aCall,
  options: TaskStreamOptions,
): AsyncGenerator<StreamResponse, void, undefined> {
  yield { payload: { $case: 'task', value: taskView(run, options) } };
  if (isOver(run, options)) return;
  for await (const sighting of runtime.follow(run.task_id, lastSequence(run), call.signal)) {
    for (const event of sighting.events) {
      for (const response of eventView(sighting.run, event, options)) {
        await call.ready();
        if (call.signal.aborted) return;
        yield response;
      }
    }
    if (isOver(sighting.run, options)) return;
  }
}

/**
 * Follows a task that is under way.
 * @throws {AppError} `TASK_NOT_FOUND`; `INVALID_STATE` when the task is over, so that there is nothing to follow.
 */
export async function* subscription(
  runtime: Runtime,
  task_id: string,
  call: A2aCall,
): AsyncGenerator<StreamResponse, void, undefined> {
  const run = await runtime.read(call.caller, checkedTaskId(task_id, 'id'));
  if (isTerminal(run.state)) {
    throw new AppError('INVALID_STATE', `the task is ${run.state}; read it instead`, { field: 'id' });
  }
  yield* taskStream(runtime, run, call, { untilInterrupted: false });
}

function isOver(run: TaskRun, { untilInterrupted }: TaskStreamOptions): boolean {
  return isTerminal(run.state) || (untilInterrupted && isInterrupted(run.state));
}

/** One stored event on the wire; a final status with a result is told as the result and then the status. */
function eventView(run: TaskRun, event: TaskEvent, { takes }: ViewOptions): StreamResponse[] {
  const of = { taskId: run.task_id, contextId: run.context_id, metadata: undefined };
  if (event.kind === 'artifact') {
    const { append = false, last_chunk = false } = event.artifact;
    const value = { ...of, artifact: artifactView(event.artifact, takes), append, lastChunk: last_chunk };
    return [{ payload: { $case: 'artifactUpdate', value } }];
  }
  const result = resultArtifact(event);
  const status = {
    payload: { $case: 'statusUpdate', value: { ...of, status: statusView(run, event, takes) } },
  } as const;
  if (result === undefined) return [status];
  const value = { ...of, artifact: artifactView(result, takes), append: false, lastChunk: true };
  return [{ payload: { $case: 'artifactUpdate', value } }, status];
}
