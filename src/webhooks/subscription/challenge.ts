import type { Clock, Ids } from '../../platform/clock.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { OutboundResult } from '../../platform/outbound/outbound-result.ts';
import type { AdmissionDependencies } from '../delivery/admission.ts';
import type { AttemptDependencies } from '../delivery/attempt.ts';
import { deliveryOf } from '../delivery/create-delivery.ts';
import { sendOnce } from '../delivery/send-once.ts';
import { UNNAMED_MODE } from '../schemes/named-schemes.ts';
import type { Subscription } from './subscription.ts';

export interface ChallengeDependencies extends AttemptDependencies, AdmissionDependencies {
  ids: Ids;
  clock: Clock;
  /** The agent as its brand.json names it. */
  agentUrl: string;
}

/** Whose subscriber is asked. */
export interface AskedReceiver {
  organization_id: OrganizationId;
  account_id: string;
  subscription: Subscription;
}

/**
 * Asks a receiver whether it wants to hear of an account, before anything else goes there: a signed POST with a random text, which its answer
 * repeats as `challenge` or `token`. It is signed whatever its events will be proved by. Answers what is wrong; undefined where it agreed.
 * @throws {AppError} while nothing is sent there, see {@link sendOnce}.
 */
export async function challenge(deps: ChallengeDependencies, asked: AskedReceiver): Promise<string | undefined> {
  const { organization_id, account_id, subscription } = asked;
  const { subscriber_id, event_types, registration } = subscription;
  const { registration_id, url, mode, dialect } = registration;
  const text = `wch_${deps.ids.newId()}${deps.ids.newId()}`.replaceAll('-', '');
  const body = {
    ...{ type: 'webhook.challenge', challenge: text, account_id, subscriber_id, event_types },
    ...{ seller_agent_url: deps.agentUrl, delivery_auth: { mode } },
  };
  const row = deliveryOf(deps, {
    ...{ organization_id, task_id: `challenge-${deps.ids.newId()}`, task_type: 'webhook_challenge', subject_id: null },
    ...{ sequence: 1, event: 'challenge', idempotency_key: text, body: JSON.stringify(body) },
    target: { registration_id, url, mode: UNNAMED_MODE, dialect },
  });
  const { made, result } = await sendOnce(deps, row);
  const { verdict, http_status_code, error_message } = made.classification;
  if (verdict !== 'delivered')
    return `it ${http_status_code === undefined ? 'was not reached' : `answered ${http_status_code}`}${error_message === undefined ? '' : ` (${error_message})`}`;
  return repeats(result, text) ? undefined : 'its answer did not repeat it';
}

function repeats(result: OutboundResult, text: string): boolean {
  if (result.kind !== 'response') return false;
  try {
    const answer = JSON.parse(result.body.toString('utf8')) as { challenge?: unknown; token?: unknown } | null;
    return answer?.challenge === text || answer?.token === text;
  } catch {
    return false;
  }
}
