import type { Queue, Queues } from '../platform/queue.ts';
import type { DeliveryJob } from './delivery.ts';

/**
 * `prompt`: first attempts and early retries. `late`: later retries, and whatever waits for a destination that is closed,
 * so that no backlog of those is ever in front of news.
 */
export type Lane = 'prompt' | 'late';

/** Queue names. */
export const LANE_QUEUES: Readonly<Record<Lane, string>> = { prompt: 'webhook-deliveries', late: 'webhook-retries' };

/** Retries up to this attempt, 35 s after the first, count as early. */
const LAST_PROMPT_ATTEMPT = 3;

export type DeliveryQueues = Readonly<Record<Lane, Queue<DeliveryJob>>>;

export function deliveryQueues(queues: Queues): DeliveryQueues {
  return { prompt: queues.queue(LANE_QUEUES.prompt), late: queues.queue(LANE_QUEUES.late) };
}

export function laneOf(attempt: number): Lane {
  return attempt <= LAST_PROMPT_ATTEMPT ? 'prompt' : 'late';
}
