import { fromTimestamp } from '../../platform/clock.ts';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { owedAttempt } from './delivery.ts';
import type { Attempt, Delivery } from './delivery.ts';

/** How many entries are shown at most (rule B9). */
export const MAX_ACTIVITY = 200;

/** One fire of a webhook as its buyer sees it (rules C.events.7, W11). */
export interface WebhookActivity {
  idempotency_key: string;
  task_id: string;
  task_type: string;
  /** What was told, such as a task's status. */
  event: string;
  /** Of the event among those of its task or its reports. */
  sequence_number: number;
  /** The registered URL without its query. */
  url: string;
  /** `pending`: the attempt is still to be made. */
  status: Attempt['status'] | 'pending';
  /** From 1. */
  attempt: number;
  http_status_code?: number;
  error_message?: string;
  /** When it was made, or is due. */
  timestamp: string;
  duration_ms?: number;
}

/**
 * The fires that concern one subject of an organization, most recent first: every attempt made, each that is still owed as
 * `pending`, and each that ended with its registration as `failed`. At most {@link MAX_ACTIVITY}, of the last 30 days.
 */
export async function webhookActivity(
  deliveries: Collection<Delivery>,
  { organization_id, subject_id }: { organization_id: OrganizationId; subject_id: MediaBuyId },
): Promise<WebhookActivity[]> {
  const { rows } = await deliveries.find({
    where: { organization_id, subject_id },
    sort: { field: 'created_at', direction: 'desc' },
    limit: MAX_ACTIVITY,
  });
  return rows
    .flatMap(activityOf)
    .sort((a, b) => fromTimestamp(b.timestamp) - fromTimestamp(a.timestamp))
    .slice(0, MAX_ACTIVITY);
}

/** A delivery's fires. */
function activityOf(delivery: Delivery): WebhookActivity[] {
  const { idempotency_key, task_id, task_type, event, sequence: sequence_number, next_attempt_at } = delivery;
  const facts = { idempotency_key, task_id, task_type, event, sequence_number, url: withoutQuery(delivery.url) };
  const made = delivery.attempts.map(({ attempt, status, http_status_code, error_message, started_at, timings }) => ({
    ...facts,
    status,
    attempt,
    ...(http_status_code !== undefined && { http_status_code }),
    ...(error_message !== undefined && { error_message }),
    timestamp: started_at,
    ...(timings !== undefined && { duration_ms: timings.total_ms }),
  }));
  const attempt = owedAttempt(delivery);
  if (delivery.state === 'ended') {
    const error_message = 'registration ended';
    return [...made, { ...facts, status: 'failed', attempt, error_message, timestamp: delivery.updated_at }];
  }
  if (next_attempt_at === null) return made;
  return [...made, { ...facts, status: 'pending', attempt, timestamp: next_attempt_at }];
}
