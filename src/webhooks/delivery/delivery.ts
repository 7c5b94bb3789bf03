import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { Registration } from '../../runtime/registration.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { LAST_ANSWER } from './last-answer.ts';

/** How long a delivery stays readable, in milliseconds (rule B9). */
export const DELIVERY_RETENTION_MS = 30 * 24 * 3_600_000;

/** Milliseconds spent per phase of an attempt. */
export const AttemptTimings = z.strictObject({
  dns_ms: z.number(),
  connect_ms: z.number(),
  tls_ms: z.number(),
  first_byte_ms: z.number(),
  total_ms: z.number(),
});

/** One attempt, as it went. */
export const Attempt = z.strictObject({
  /** From 1. */
  attempt: z.int().positive(),
  started_at: z.string(),
  status: z.enum(['success', 'failed', 'timeout', 'connection_error']),
  http_status_code: z.int().optional(),
  error_message: z.string().optional(),
  /** The code a receiver named in a 401 that blames our signature (rule W6); for the operator. */
  signature_error: z.string().optional(),
  /** The key that signed; absent where the scheme proves with credentials. */
  kid: z.string().optional(),
  /** The headers of the signature as they were sent; absent in rows of 0.1.0 and where the scheme proves with credentials. */
  signed: z.strictObject({ input: z.string(), signature: z.string() }).optional(),
  /** The IP address that was connected to. */
  address: z.string().optional(),
  /** Absent when nothing was sent. */
  timings: AttemptTimings.optional(),
});
export type Attempt = z.infer<typeof Attempt>;

/**
 * `pending` until the receiver takes it, or: `rejected` by an answer that ends it, `gone` by 410, `exhausted` after the
 * last attempt of the schedule (rules W6, W7), `ended` with its registration (rule W6.ended).
 */
export const DeliveryState = z.enum(['pending', 'delivered', 'rejected', 'gone', 'exhausted', 'ended']);
export type DeliveryState = z.infer<typeof DeliveryState>;

/** Those over in a way that a person may undo by sending again. */
export const ResendableState = DeliveryState.exclude(['pending', 'ended']);
export type ResendableState = z.infer<typeof ResendableState>;

/**
 * One event on its way to one registration: the frozen bytes, where they go, and every attempt. The row is the truth;
 * queued jobs are made from it.
 */
export const Delivery = z.strictObject({
  delivery_id: z.string(),
  revision: z.int(),
  /** Sent in the body; the same on every attempt and on no other event (rule C.resources.envelope). */
  idempotency_key: z.string(),
  organization_id: OrganizationId,
  /** What the event is of: a task, by its `TaskId`; or else a report or an impairment, by a name of its own. */
  task_id: z.string(),
  task_type: z.string(),
  /** The media buy it concerns, for `webhook_activity`. */
  subject_id: MediaBuyId.nullable(),
  /** The event's place among those of its `task_id`. */
  sequence: z.int(),
  /** What happened, in one word, such as the status told. */
  event: z.string(),
  registration_id: z.string(),
  /** As `storedUrl` has it; in rows of 0.1.0 as it was registered. */
  url: z.string(),
  /** Scheme, host and port of `url`. */
  destination: z.string(),
  mode: Registration.shape.mode,
  /** The registration's: whose names and keys prove it. */
  dialect: Registration.shape.dialect,
  sealed_credentials: z.string().optional(),
  /** Goes into `X-A2A-Notification-Token` (rule W5). */
  sealed_header_token: z.string().optional(),
  /** The exact text of the body, or that text sealed when it carries the buyer's token. */
  body: z.string(),
  is_body_sealed: z.boolean(),
  state: DeliveryState,
  attempts: z.array(Attempt),
  ...LAST_ANSWER,
  /** When the next attempt is owed; null when there is none. */
  next_attempt_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  expires_at: z.string(),
  /** The delivery whose event an operator had sent again as a new one; absent otherwise. */
  resend_of: z.string().optional(),
  /** The range that it was last sent again by, so that none sends it twice; absent where none has. Of a new event: which made it. */
  resent_in: z.string().optional(),
  /** Ranges that it was sent again by before that, the last first. */
  resent_before: z.array(z.string()).optional(),
  /** What `targetKey` makes of its gate's target; absent in rows of 0.1.0 until their next attempt. */
  target: z.string().optional(),
  /**
   * Where its trace goes on, below the span that made it, as the W3C's `traceparent` says it. Absent where nobody recorded traces,
   * and in rows of 0.1.0.
   */
  traceparent: z.string().optional(),
  /** The delivery of the task's event before to the same registration, if there is one (rule W17). */
  follows: z.string().optional(),
});
export type Delivery = z.infer<typeof Delivery>;

export const Deliveries: CollectionSpec<Delivery> = {
  name: 'deliveries',
  key: 'delivery_id',
  schema: Delivery,
  indexes: [
    { name: 'by_next_attempt', fields: ['next_attempt_at'] },
    { name: 'by_task', fields: ['task_id', 'sequence'] },
    { name: 'by_subject', fields: ['organization_id', 'subject_id', 'created_at'] },
    { name: 'by_destination', fields: ['destination', 'state', 'created_at'] },
    { name: 'by_state', fields: ['state', 'created_at'], holds: [] },
    { name: 'by_target', fields: ['target', 'next_attempt_at'] },
    { name: 'by_organization', fields: ['organization_id', 'created_at'] },
    { name: 'by_organization_state', fields: ['organization_id', 'state', 'created_at'], holds: ['destination'] },
    // Of what was not taken alone: a webhook that arrives at once is in none of them.
    { name: 'by_answer', fields: ['last_answer', 'state', 'created_at'], where: { has_failed: true } },
    {
      name: 'by_answer_to_organization',
      fields: ['last_answer', 'organization_id', 'state', 'created_at'],
      where: { has_failed: true },
    },
    {
      name: 'by_answer_of_destination',
      fields: ['last_answer', 'destination', 'state', 'created_at'],
      where: { has_failed: true },
    },
  ],
  expires: 'expires_at',
};

/**
 * A queued attempt: its number tells a stale job from the owed one. `organization_id` and `path` say which gate it waits at
 * with `destination`; a job that an earlier release queued has neither, and its row is looked at.
 */
export const DeliveryJob = z.object({
  delivery_id: z.string(),
  attempt: z.int().positive(),
  destination: z.string(),
  organization_id: z.string().optional(),
  path: z.string().optional(),
  /** As in the row; with it one wake-up stands for all jobs of a target that is closed. */
  target: z.string().optional(),
  /** Of a first attempt: see {@link Delivery}. */
  follows: z.string().optional(),
});
export type DeliveryJob = z.infer<typeof DeliveryJob>;

/** The attempt that a pending delivery owes, counted from 1. */
export function owedAttempt(delivery: Delivery): number {
  return delivery.attempts.length + 1;
}
