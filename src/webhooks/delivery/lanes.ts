import type { Queue, QueueSpec, Queues } from '../../platform/queue/queue.ts';
import { DeliveryJob } from './delivery.ts';

/**
 * `prompt`: first attempts and early retries. `late`: later retries, so that no backlog of those is ever in front of first
 * attempts. What waits for a target that is closed is in neither (see `WakeUps`).
 */
export type Lane = 'prompt' | 'late';

/** The queues of attempts. An attempt is owed by its row's `next_attempt_at`, in whichever lane it waits. */
export const LANE_QUEUES: Readonly<Record<Lane, QueueSpec<DeliveryJob>>> = {
  prompt: { name: 'webhook-deliveries', schema: DeliveryJob },
  late: { name: 'webhook-retries', schema: DeliveryJob },
};

/** Retries up to this attempt, 35 s after the first, count as early. */
const LAST_PROMPT_ATTEMPT = 3;

export type DeliveryQueues = Readonly<Record<Lane, Queue<DeliveryJob>>>;

export function deliveryQueues(queues: Queues): DeliveryQueues {
  return { prompt: queues.queue(LANE_QUEUES.prompt), late: queues.queue(LANE_QUEUES.late) };
}

export function laneOf(attempt: number): Lane {
  return attempt <= LAST_PROMPT_ATTEMPT ? 'prompt' : 'late';
}
