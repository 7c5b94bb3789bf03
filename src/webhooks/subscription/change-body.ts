import type { AccountStatus } from '../../sales/account/account.ts';
import type { StatusChange } from '../../sales/status-change.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { AccountEvent } from './notification-config.ts';

/** The longest explanation that is told, in characters. */
const MAX_DETAIL = 500;

/** What makes one webhook of a change. */
export interface ToldSubscriber {
  idempotency_key: string;
  subscriber_id: string;
  account_id: string;
  /** When it is told. */
  fired_at: string;
}

/** A change of a creative as the public protocol tells it, from 3.1 on. Pure. */
export function creativeChangeBody(change: StatusChange, creative_id: string, telling: ToldSubscriber): JsonObject {
  const { at: observed_at, from_status: from, to_status: to, note, initiator } = change;
  return {
    ...head('creative.status_changed', change, telling),
    ...{ creative_id, transition: { from, to, observed_at } },
    reason_code: creativeReason(change),
    ...(note !== null && { reason_detail: note.slice(0, MAX_DETAIL) }),
    initiator,
  };
}

/** A change of an account as the public protocol tells it, from 3.2 on; why, the buyer asks the seller. Pure. */
export function accountChangeBody(change: StatusChange, telling: ToldSubscriber): JsonObject {
  const { at: observed_at, from_status: previous_status, to_status: status } = change;
  const reason_code = accountReason(previous_status as AccountStatus, status as AccountStatus);
  return { ...head('account.status_changed', change, telling), previous_status, status, observed_at, reason_code };
}

function head(notification_type: AccountEvent, { notification_id }: StatusChange, telling: ToldSubscriber): JsonObject {
  const { idempotency_key, fired_at, subscriber_id, account_id } = telling;
  return { idempotency_key, notification_id, notification_type, fired_at, subscriber_id, account_id };
}

/** The protocol's word for it; for whatever a seller takes out of service it has one that fits, and the words beside it tell more. */
function creativeReason({ from_status, to_status }: StatusChange): string {
  if (to_status === 'approved') return 'review_passed';
  if (to_status === 'archived') return 'seller_archive';
  return from_status === 'pending_review' ? 'review_failure' : 'policy_revocation';
}

function accountReason(from: AccountStatus, to: AccountStatus): string {
  switch (to) {
    case 'active':
      return from === 'pending_approval' ? 'seller_approved' : 'manual_update';
    case 'rejected':
      return 'seller_rejected';
    case 'payment_required':
      return 'payment_required';
    case 'closed':
      return 'seller_closed';
    case 'pending_approval':
    case 'suspended':
      return 'manual_update';
  }
}
