import { OrganizationId } from '../../platform/organization-id.ts';
import type { OutgoingEvent } from '../delivery/create-delivery.ts';
import { mcpEnvelope } from '../envelope/envelope-mcp.ts';
import { UNNAMED_MODE } from '../schemes/named-schemes.ts';
import type { OperationalEvent, OwedEvent, Trouble } from './trouble.ts';

/** Whose deliveries those to the operator are: of no buyer, so that no buyer sees them. */
export const OPERATOR = OrganizationId.parse('operator');

const MESSAGES: Record<OperationalEvent, string> = {
  destination_failing: 'a receiver of webhooks has not taken any for an hour',
  destination_recovered: 'a receiver of webhooks takes them again',
  signature_refused: 'a receiver of webhooks says that our signature is wrong',
};

/** The event as any webhook is sent: signed, as stored bytes, tried again by the schedule; the same however often it is made. */
export function operationalWebhook(trouble: Trouble, owed: OwedEvent, url: string): OutgoingEvent {
  const { event, sequence, idempotency_key, decided_at } = owed;
  const { organization_id, destination, failing_since, last_failed_at, cause } = trouble;
  const { http_status_code, signature_error } = trouble;
  const task_id = `operational-${trouble.episode_id}-${sequence}`;
  const task_type = 'operational_event';
  const envelope = mcpEnvelope({
    ...{ idempotency_key, task_id, task_type },
    status: 'completed',
    timestamp: decided_at,
    message: MESSAGES[event],
    result: {
      ...{ event, organization_id, destination, failing_since, last_failed_at, cause },
      ...{ http_status_code, signature_error },
    },
  });
  return {
    organization_id: OPERATOR,
    ...{ task_id, task_type, subject_id: null, sequence, event },
    target: { registration_id: 'operator', url, mode: UNNAMED_MODE },
    idempotency_key,
    body: JSON.stringify(envelope),
  };
}
