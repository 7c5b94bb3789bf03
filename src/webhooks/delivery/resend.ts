import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Ids } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import { createDeliveries, deliveryId } from './create-delivery.ts';
import type { CreateDeliveryDependencies } from './create-delivery.ts';
import type { Delivery, DeliveryState } from './delivery.ts';
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
 * @throws {AppError} `NOT_FOUND` for an unknown delivery, `INVALID_STATE` for an ended one.
 */
export async function resend(deps: ResendDependencies, delivery_id: string): Promise<Resent> {
  const row = await deps.deliveries.get(delivery_id);
  if (row === undefined) throw new AppError('NOT_FOUND', 'no delivery has this id', { field: 'delivery_id' });
  if (row.state === 'ended') throw ended();
  if (isPastItsKey(row, deps.clock.now())) {
    const again = await sendAnew(deps, row);
    return { delivery_id: again.delivery_id, idempotency_key: again.idempotency_key, is_new_event: true };
  }
  await sendAsItIs(deps, delivery_id, (stored) => {
    if (stored.state === 'ended') throw ended();
    return {};
  });
  return { delivery_id, idempotency_key: row.idempotency_key, is_new_event: false };
}

/** The range that an event is part of, and the outcome of those that it means. */
export interface InRange {
  range_id: string;
  state: DeliveryState | undefined;
}

/** What became of one as part of a range: sent by it, or left out, since its registration has ended, it is kept no longer, or it fits no more. */
export type InRangeOutcome = 'sent' | 'ended' | 'not_kept' | 'otherwise';

/**
 * The same as part of a range: answers `sent` where that range has sent it, now or before. It does so once, whoever is killed or works on
 * it besides. What another range has sent meanwhile, has ended, or is kept no longer it leaves alone.
 */
export async function resendInRange(
  deps: ResendDependencies,
  delivery_id: string,
  { range_id, state }: InRange,
): Promise<InRangeOutcome> {
  const row = await deps.deliveries.get(delivery_id);
  const isMeant = (one: Delivery) => one.state !== 'ended' && (state === undefined || one.state === state);
  const outcomeOf = (one: Delivery | undefined): InRangeOutcome => {
    if (one === undefined) return 'not_kept';
    if (isResentIn(one, range_id)) return 'sent';
    return one.state === 'ended' ? 'ended' : 'otherwise';
  };
  if (row === undefined || isResentIn(row, range_id) || !isMeant(row)) return outcomeOf(row);
  if (isPastItsKey(row, deps.clock.now())) return outcomeOf(await sendAnew(deps, row, range_id));
  const sent = await sendAsItIs(deps, delivery_id, (stored) => {
    if (isResentIn(stored, range_id) || !isMeant(stored)) return undefined;
    const { resent_in, resent_before = [] } = stored;
    if (resent_in === undefined) return { resent_in: range_id };
    return { resent_in: range_id, resent_before: [resent_in, ...resent_before].slice(0, RANGES_NOTED) };
  });
  return outcomeOf(sent);
}

/** More ranges than can be at work on one event at the same time, or be gone on with after a death. */
const RANGES_NOTED = 20;

/** Whether a range has sent this event again, whichever came after it. */
export function isResentIn(
  { resent_in, resent_before = [] }: Pick<Delivery, 'resent_in' | 'resent_before'>,
  range_id: string,
): boolean {
  return resent_in === range_id || resent_before.includes(range_id);
}

/** Has it sent under its own key, with what is noted besides, unless that is undefined. Answers the row as it then stands. */
async function sendAsItIs(
  deps: ResendDependencies,
  delivery_id: string,
  noted: (stored: Delivery) => Partial<Delivery> | undefined,
): Promise<Delivery | undefined> {
  const timestamp = toTimestamp(deps.clock.now());
  const outcome = await deps.deliveries.update(delivery_id, (stored) => {
    const note = noted(stored);
    if (note === undefined) return undefined;
    return { ...stored, ...note, state: 'pending', next_attempt_at: timestamp, updated_at: timestamp };
  });
  if (outcome?.changed === true) await requeueDeliveries(deps, [outcome.row]);
  return outcome?.row;
}

/** Whether a receiver need not know its key any more (rule W7). */
function isPastItsKey({ attempts: [first] }: Delivery, nowMs: number): boolean {
  return first !== undefined && !isWithinHorizon(fromTimestamp(first.started_at), nowMs);
}

function ended(): AppError {
  return new AppError('INVALID_STATE', 'its registration has ended, so nothing is sent there any more', {
    field: 'delivery_id',
    suggestion: 'the buyer reads the task, or registers a webhook anew',
  });
}

/** The new event's row; one that was made before is as it was. */
async function sendAnew(deps: ResendDependencies, row: Delivery, range_id?: string): Promise<Delivery> {
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
      ...(range_id !== undefined && { resent_in: range_id }),
    },
  ]);
  const again = await deps.deliveries.get(deliveryId({ task_id, sequence, target: row, resend_of: delivery_id }));
  if (again === undefined) throw new Error(`the resend of ${delivery_id} vanished`);
  return again;
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
