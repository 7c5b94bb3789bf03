import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import type { QueueState } from '../../../platform/queue/queue-pauses.ts';
import { signalOf } from '../../live-topics.ts';
import { Id, Words } from '../fields.ts';
import { operation } from '../operation.ts';

export const QueueView = z.object({
  queue: z.string(),
  is_paused: z.boolean(),
  waiting: z.int(),
  active: z.int(),
  delayed: z.int(),
});
export type QueueView = z.infer<typeof QueueView>;

const params = z.strictObject({ queue: Id });
/** For the record. */
const body = z.strictObject({ reason: Words });

/** The job queues, by name. */
export const listQueues = operation({
  method: 'get',
  path: '/queues',
  summary: 'Show the job queues, what waits in them, and which are paused.',
  role: 'viewer',
  answer: z.object({ queues: z.array(QueueView) }),
  async handle(_input, { queues }) {
    return { queues: await queues.list() };
  },
});

/** Stops taking jobs from a queue, in all workers; what is at work ends. */
export const pauseQueue = operation({
  method: 'post',
  path: '/queues/:queue/pause',
  summary: 'Stop taking jobs from a queue, in all workers; what is owed waits, and nothing is lost.',
  role: 'admin',
  action: 'queues.pause',
  done: ({ queue }) => `The queue ${queue} is paused.`,
  undo: 'queues.resume',
  params,
  body,
  answer: QueueView,
  handle: async ({ params: { queue } }, { queues, changeSignal }) => {
    const state = known(await queues.pause(queue));
    await changeSignal.publish(signalOf('queues'), queue);
    return state;
  },
});

/** Takes jobs from it again. */
export const resumeQueue = operation({
  method: 'post',
  path: '/queues/:queue/resume',
  summary: 'Take jobs from a queue again.',
  role: 'admin',
  action: 'queues.resume',
  done: ({ queue }) => `The queue ${queue} goes on.`,
  params,
  answer: QueueView,
  handle: async ({ params: { queue } }, { queues, changeSignal }) => {
    const state = known(await queues.resume(queue));
    await changeSignal.publish(signalOf('queues'), queue);
    return state;
  },
});

function known(state: QueueState | undefined): QueueView {
  if (state !== undefined) return state;
  throw new AppError('NOT_FOUND', 'there is no such queue; GET /queues names them', { field: 'queue' });
}
