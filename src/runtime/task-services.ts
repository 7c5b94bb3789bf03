import type { Caller } from '../directory/caller.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { RuntimeBase } from './dependencies.ts';
import { listRuns } from './list.ts';
import type { TaskFilter, TaskPage } from './list.ts';
import { readTask } from './read.ts';
import type { Registration } from './registration.ts';
import { redirectTask } from './registrations.ts';
import { wake } from './resume.ts';
import type { TaskRun } from './task-run.ts';

/** What tasks may do with tasks: it is there before they are. */
export interface TaskServices {
  read(caller: Caller, task_id: TaskId): Promise<TaskRun>;
  list(caller: Caller, filter: TaskFilter, limit: number, cursor?: string): Promise<TaskPage>;
  /** See {@link redirectTask}. */
  redirect: (task_id: TaskId, registration: Registration) => Promise<void>;
  /** See {@link wake}. */
  wake(task_id: TaskId, options?: { interrupted?: boolean }): Promise<boolean>;
}

export function taskServices(base: RuntimeBase): TaskServices {
  return {
    read: (caller, task_id) => readTask(base, caller, task_id),
    list: (caller, filter, limit, cursor) => listRuns(base, caller, filter, limit, cursor),
    redirect: (task_id, registration) => redirectTask(base, task_id, registration),
    wake: (task_id, options) => wake(base, task_id, options),
  };
}
