import { z } from 'zod';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import { LastAnswer, shownAnswer } from '../answers/receiver-answer.ts';
import type { ReceiverAnswer } from '../answers/receiver-answer.ts';
import { Attempt, AttemptTimings, Delivery } from '../delivery/delivery.ts';
import { adviceFor } from './advice.ts';

/** One attempt as its buyer sees it: how far it came, how it is classified (rule W11), and what to do about it. */
export const BuyerAttempt = z
  .object({
    ...Attempt.shape,
    timings: z.object(AttemptTimings.shape).optional(),
    advice: z.string().nullable().describe('What to do about it, in our own words; null when it was taken'),
  })
  .omit({ signed: true });
export type BuyerAttempt = z.infer<typeof BuyerAttempt>;

const { delivery_id, state, event, task_id, task_type, mode, idempotency_key } = Delivery.shape;

/** A webhook on its way, or over, as its buyer sees it: without body, secrets and the query of its URL. */
export const BuyerDelivery = z.object({
  ...{ delivery_id, state, event, task_id, task_type },
  media_buy_id: z.string().nullable(),
  url: z.string().describe('Without its query'),
  ...{ mode, idempotency_key },
  tries: z.int().describe('Attempts made so far'),
  last_attempt: BuyerAttempt.nullable(),
  next_attempt_at: z.string().nullable().describe('When the next attempt is due; null when there is none'),
  created_at: z.string(),
  updated_at: z.string(),
  resend_of: z.string().nullable().describe('The delivery that this one sends again under a new key'),
});
export type BuyerDelivery = z.infer<typeof BuyerDelivery>;

/** The same with every attempt, oldest first, and what its receiver said when it last failed. */
export const BuyerDeliveryDetail = BuyerDelivery.extend({
  attempts: z.array(BuyerAttempt),
  receiver_answer: LastAnswer,
});
export type BuyerDeliveryDetail = z.infer<typeof BuyerDeliveryDetail>;

export function buyerDelivery(row: Delivery): BuyerDelivery {
  const last = row.attempts.at(-1);
  return {
    delivery_id: row.delivery_id,
    state: row.state,
    event: row.event,
    task_id: row.task_id,
    task_type: row.task_type,
    media_buy_id: row.subject_id,
    url: withoutQuery(row.url),
    mode: row.mode,
    idempotency_key: row.idempotency_key,
    tries: row.attempts.length,
    last_attempt: last === undefined ? null : buyerAttempt(last),
    next_attempt_at: row.next_attempt_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
    resend_of: row.resend_of ?? null,
  };
}

/** @param answer Of this organization's own, if there is one. */
export function buyerDeliveryDetail(row: Delivery, answer: ReceiverAnswer | undefined): BuyerDeliveryDetail {
  return {
    ...buyerDelivery(row),
    attempts: row.attempts.map(buyerAttempt),
    receiver_answer: shownAnswer(answer),
  };
}

export function buyerAttempt({ signed: _signed, ...attempt }: Attempt): BuyerAttempt {
  return { ...attempt, advice: adviceFor(attempt) ?? null };
}
