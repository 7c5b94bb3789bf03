import type { Clock, Ids } from '../platform/clock.ts';
import type { Collection } from '../platform/collection.ts';
import type { Logger } from '../platform/log.ts';
import type { Doorbell, Queue } from '../platform/queue.ts';
import type { Notifier } from './notifier.ts';
import type { TaskDefinition } from './task-definition.ts';
import type { TaskRun } from './task-run.ts';

/** A queued turn of a task: `turn` tells a stale job from the owed one. */
export interface RunJob {
  task_id: string;
  turn: number;
}

/** Name of the queue of turns. */
export const RUN_QUEUE = 'task-runs';

/** What every operation of the runtime works with. */
export interface RuntimeDependencies {
  runs: Collection<TaskRun>;
  queue: Queue<RunJob>;
  bell: Doorbell;
  notifier: Notifier;
  tasks: ReadonlyMap<string, TaskDefinition>;
  clock: Clock;
  ids: Ids;
  log: Logger;
}
