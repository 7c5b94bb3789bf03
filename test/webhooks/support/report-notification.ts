import type { Notification } from '../../../src/webhooks/delivery/notification.ts';
import { mediaBuyId, organizationId } from '../../support/ids.ts';
import { registration } from './registrations.ts';

/** A delivery report on its way to this URL, the first of its media buy unless it is said otherwise. */
export function reportNotification(url: string, changes: Partial<Notification> = {}): Notification {
  const { sequence = 1 } = changes;
  return {
    organization_id: organizationId('buyer'),
    subject_id: mediaBuyId('mb-reports'),
    task_id: `delivery_report_${sequence}`,
    task_type: 'media_buy_delivery',
    sequence,
    event: 'scheduled',
    idempotency_key: `key-${sequence}`,
    timestamp: '2026-01-01T00:00:00.000Z',
    message: 'report',
    result: {},
    registration: registration(url, { registration_id: 'reporting_webhook' }),
    ...changes,
  };
}
