import { isObject, textOf } from '../wire/json-shape.ts';
import type { WebhookEvent } from './webhook-event.ts';

const DELIVERY_REPORTS = ['scheduled', 'final', 'delayed', 'adjusted'];

/**
 * What an event tells the state of, and of which instant (milliseconds): an event of an earlier instant is stale. A final
 * status comes after any other of the same millisecond. Undefined for an event that stands alone.
 */
export function orderOf(event: WebhookEvent): { subject: string; at: number } | undefined {
  const at = Date.parse(event.timestamp ?? '') + (event.is_final ? 0.5 : 0);
  if (Number.isNaN(at) || isDeliveryReport(event)) return undefined;
  if (event.notification_id !== undefined) return { subject: `notification ${event.notification_id}`, at };
  if (event.format === 'other' || event.task_id === undefined) return undefined;
  return { subject: `task ${event.task_id}`, at };
}

/** Reports are a series, each with content of its own: an earlier one is late, not stale. */
function isDeliveryReport({ result }: WebhookEvent): boolean {
  return isObject(result) && DELIVERY_REPORTS.includes(textOf(result['notification_type']) ?? '');
}
