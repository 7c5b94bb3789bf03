import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Ids } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import { createDeliveries, deliveryId } from './create-delivery.ts';
import type { CreateDeliveryDependencies } from './create-delivery.ts';
import type { Delivery } from './delivery.ts';
import { requeueDeliveries } from './queue-deliveries.ts';
import { isWithinHorizon } from './retry-schedule.ts';
import { sealedFor } from '../registration/webhook-target.ts';

export interface ResendDependencies extends CreateDeliveryDependencies {
  ids: Ids;
}

/** What a resend came to: the delivery to look at, and whether it is a new event with a key of its own. */
export const Resent = z.object({ delivery_id: z.string(), idempotency_key: z.string(), is_new_event: z.boolean() });
export type Resent = z.infer<typeof Resent>;

/**
 * Sends an event again now, by an operator's wish. Within 24 hours of its first attempt it goes under its own key, so
 * that a receiver that has it already knows; later it is a new event with a new key (rule W7), made once however
 * often this is asked. One that ended with its registration stays ended: nobody sends where a buyer has asked for no more.
 * @param range_id Of a range it is part of: that range sends it once, whoever is killed or works on it besides.
 * @throws {AppError} `NOT_FOUND` for an unknown delivery, `INVALID_STATE` for an ended one.
 */
export async function resend(deps: ResendDependencies, delivery_id: string, range_id?: string): Promise<Resent> {
  const row = await deps.deliveries.get(delivery_id);
  if (row === undefined) throw new AppError('NOT_FOUND', 'no delivery has this id', { field: 'delivery_id' });
  if (row.state === 'ended') throw ended();
  const isSent = (one: Delivery) => range_id !== undefined && one.resent_in === range_id;
  const asIs = { delivery_id, idempotency_key: row.idempotency_key, is_new_event: false };
  if (isSent(row)) return asIs;
  const nowMs = deps.clock.now();
  const first = row.attempts[0];
  if (first !== undefined && !isWithinHorizon(fromTimestamp(first.started_at), nowMs)) return sendAnew(deps, row);
  const outcome = await deps.deliveries.update(delivery_id, (stored) => {
    if (stored.state === 'ended') throw ended();
    if (isSent(stored)) return undefined;
    const timestamp = toTimestamp(nowMs);
    return {
      ...stored,
      ...{ state: 'pending', next_attempt_at: timestamp, updated_at: timestamp },
      ...(range_id !== undefined && { resent_in: range_id }),
    };
  });
  if (outcome?.changed === true) await requeueDeliveries(deps, [outcome.row]);
  return asIs;
}

function ended(): AppError {
  return new AppError('INVALID_STATE', 'its registration has ended, so nothing is sent there any more', {
    field: 'delivery_id',
    suggestion: 'the buyer reads the task, or registers a webhook anew',
  });
}

async function sendAnew(deps: ResendDependencies, row: Delivery): Promise<Resent> {
  const text = row.is_body_sealed
    ? deps.sealer.open(row.body, sealedFor(registeredUrl(deps.sealer, row.url)))
    : row.body;
  const { delivery_id, organization_id, task_id, task_type, subject_id, sequence, event, traceparent } = row;
  const idempotency_key = deps.ids.newId();
  await createDeliveries(deps, [
    {
      ...{ organization_id, task_id, task_type, subject_id, sequence, event, traceparent },
      target: row,
      idempotency_key,
      body: withKey(text, row.idempotency_key, idempotency_key),
      isBodySecret: row.is_body_sealed,
      sealed_header_token: row.sealed_header_token,
      resend_of: delivery_id,
    },
  ]);
  const again = await deps.deliveries.get(deliveryId({ task_id, sequence, target: row, resend_of: delivery_id }));
  if (again === undefined) throw new Error(`the resend of ${delivery_id} vanished`);
  return { delivery_id: again.delivery_id, idempotency_key: again.idempotency_key, is_new_event: true };
}

/**
 * The body under another key. It stands there once: whoever made the rest of the body did not know it. Nothing else is
 * written anew, since what a buyer wrote comes back as it was written (rule W19).
 */
function withKey(text: string, before: string, after: string): string {
  const [known, anew] = [before, after].map((key) => `"idempotency_key":${JSON.stringify(key)}`);
  if (known === undefined || anew === undefined || !text.includes(known)) throw new Error('the body holds no such key');
  return text.replace(known, () => anew);
}
