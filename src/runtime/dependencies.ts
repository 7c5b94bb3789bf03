import { z } from 'zod';
import type { Budgets } from '../platform/budget/budgets.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import type { Logger } from '../platform/log.ts';
import type { Queue, QueueSpec } from '../platform/queue/queue.ts';
import type { ChangeSignal } from '../platform/redis/change-signal.ts';
import { OrganizationId } from '../platform/organization-id.ts';
import { TaskId } from '../platform/task-id.ts';
import type { Notifier } from './notifier.ts';
import type { TaskDefinition } from './task-definition.ts';
import type { StatusEvent, TaskRun } from './task-run.ts';

/**
 * A queued turn of a task: `turn` tells a stale job from the owed one. Jobs that an earlier release queued name no
 * organization; all those count as one.
 */
export const RunJob = z.object({ task_id: TaskId, turn: z.int(), organization_id: OrganizationId.optional() });
export type RunJob = z.infer<typeof RunJob>;

/** The queue of turns. A turn is owed by its row's `run_due_at`. */
export const RUN_QUEUE: QueueSpec<RunJob> = {
  name: 'task-runs',
  schema: RunJob,
  fairBy: 'organization_id',
  keeps: { finished: 1_000, failed: 5_000 },
};

/** What the runtime works with before there are tasks. */
export interface RuntimeBase {
  runs: Collection<TaskRun>;
  queue: Queue<RunJob>;
  changeSignal: ChangeSignal;
  notifier: Notifier;
  clock: Clock;
  ids: Ids;
  log: Logger;
  /** Default: nobody counts. */
  counters?: Counters;
  /** Whose tasks wait for now; absent: nobody's. */
  suspensions?: { isSuspended(organization_id: string): Promise<boolean> };
}

/** An event that is about to be recorded. */
export type PresentedEvent = Pick<StatusEvent, 'state' | 'message' | 'data' | 'parts'>;

/** What every operation of the runtime works with. */
export interface RuntimeDependencies extends RuntimeBase {
  tasks: ReadonlyMap<string, TaskDefinition>;
  /**
   * What an event says in the dialect that the run was asked for in, or nothing where it cannot be said now; see `StatusEvent.told`. The
   * runtime owns it and `dialects` implements it.
   */
  present?: ((run: TaskRun, event: PresentedEvent) => Promise<JsonObject | undefined>) | undefined;
  /** What callers may have stored; absent: there is no end of it. */
  budgets?: Pick<Budgets, 'draw' | 'take' | 'size' | 'refusal'> | undefined;
}
