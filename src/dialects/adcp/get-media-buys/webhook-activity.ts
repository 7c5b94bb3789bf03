import { fromTimestamp, toTimestamp } from '../../../platform/clock.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { MediaBuyRow } from '../../../tasks/get-media-buys/schema.ts';

/** What of our events the public protocol has a type of notification for; news of tasks have none and are left out. */
const NOTIFICATION_TYPES = ['scheduled', 'final', 'delayed', 'adjusted', 'impairment'];
/** How long an error may be that is told with a fire. */
const MOST_OF_AN_ERROR = 500;

/** The fires of webhooks about a buy in public words, the newest first. Pure. */
export function publicActivity(fires: MediaBuyRow['webhook_activity'], limit: number): JsonObject[] {
  return (fires ?? [])
    .filter(({ event }) => NOTIFICATION_TYPES.includes(event))
    .slice(0, limit)
    .map(({ idempotency_key, event, timestamp, duration_ms, attempt, status, url, ...fire }) => ({
      ...{ idempotency_key, fired_at: timestamp, notification_type: event, attempt, status, url },
      completed_at: duration_ms === undefined ? null : toTimestamp(fromTimestamp(timestamp) + Math.round(duration_ms)),
      sequence_number: fire.sequence_number,
      http_status_code: fire.http_status_code ?? null,
      response_time_ms: duration_ms === undefined ? null : Math.round(duration_ms),
      error_message: fire.error_message?.slice(0, MOST_OF_AN_ERROR) ?? null,
    }));
}
