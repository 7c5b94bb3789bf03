import { z } from 'zod';
import { IdOfTask, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import { taskInFull, TaskInFullView } from './operations.ts';

const TaskPath = z.strictObject({ task_id: IdOfTask });

/** Brings forward a turn that waits for its time. */
export const nudgeTask = operation({
  method: 'post',
  path: '/tasks/:task_id/nudge',
  summary: 'Run a task now that waits for its next try. One that is over is never done again.',
  role: 'operator',
  action: 'tasks.nudge',
  done: () => 'The task’s next try is now.',
  params: TaskPath,
  answer: TaskInFullView,
  handle: async ({ params: { task_id } }, deps) => taskInFull(deps, await deps.runtime.nudge(task_id)),
});

/** Cancels one as its buyer can. */
export const cancelTask = operation({
  method: 'post',
  path: '/tasks/:task_id/cancel',
  summary: 'Cancel a task that has not passed its point of no return; the buyer is told why.',
  role: 'operator',
  action: 'tasks.cancel',
  done: ({ state }) =>
    state === 'canceled'
      ? 'The task is canceled; the buyer is told why.'
      : 'The task is being canceled; the buyer is told why.',
  params: TaskPath,
  body: z.strictObject({
    /** Told to the buyer. */
    reason: Words,
  }),
  answer: TaskInFullView,
  handle: async ({ params: { task_id }, body: { reason } }, deps) =>
    taskInFull(deps, await deps.runtime.cancelForSeller(task_id, reason)),
});
