import { createHash } from 'node:crypto';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { isUrlOpen, registeredUrl, storedUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { OpenSpan } from '../../platform/telemetry/spans.ts';
import { belonging, openSpan } from '../../platform/telemetry/spans.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Dialect } from '../../runtime/registration.ts';
import type { WebhookMode } from '../../runtime/webhook-modes.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { DELIVERY_RETENTION_MS } from './delivery.ts';
import type { Delivery } from './delivery.ts';
import { gateTargetOf, targetKey } from './gate-target.ts';
import { queueDeliveries } from './queue-deliveries.ts';
import type { QueueDeliveriesDependencies } from './queue-deliveries.ts';
import { destinationOf, sealedFor } from '../registration/webhook-target.ts';

/** Where a webhook goes and how it is proved: a task's registration, or a reporting webhook. */
export interface WebhookTarget {
  registration_id: string;
  /** As it is stored. */
  url: string;
  mode: WebhookMode;
  dialect?: Dialect | undefined;
  sealed_credentials?: string | undefined;
}

/** An event to be delivered to one target. */
export interface OutgoingEvent {
  organization_id: OrganizationId;
  /** See `Delivery`. */
  task_id: string;
  task_type: string;
  subject_id: MediaBuyId | null;
  /** With `task_id` and the target, what makes this event one: the same three never make a second delivery. */
  sequence: number;
  event: string;
  target: WebhookTarget;
  /** Also written into the body by whoever built it; random, new for each event. */
  idempotency_key: string;
  body: string;
  /** The body carries a secret of the buyer's (its `token`), so it is sealed in the store. */
  isBodySecret?: boolean;
  sealed_header_token?: string | undefined;
  /** The delivery whose event is sent again as this new one. */
  resend_of?: string;
  /** The range by which that is so. */
  resent_in?: string;
  /** The delivery of the event before, which is to be answered first (rule W17). */
  follows?: string | undefined;
  /** The `traceparent` of what it tells of, such as the task's. */
  traceparent?: string | undefined;
}

export interface CreateDeliveryDependencies extends QueueDeliveriesDependencies {
  deliveries: Collection<Delivery>;
  sealer: Sealer;
  clock: Clock;
}

/**
 * Records deliveries and queues their first attempts; once each, however often it is called with the same events: the
 * first call's bytes and key are the ones that are sent. When it has resolved, the rows are in the store.
 */
export async function createDeliveries(
  deps: CreateDeliveryDependencies,
  events: readonly OutgoingEvent[],
): Promise<void> {
  const spans = events.map(openCreate);
  await storeAndQueue(
    deps,
    events.map((event, place) => deliveryOf(deps, event, spans[place])),
  );
  for (const span of spans) span.end();
}

/** The span of making the delivery of an event, from its bytes until it is in the store. */
export function openCreate(event: OutgoingEvent): OpenSpan {
  const attributes = () => {
    const { task_id, event: told, target } = event;
    // Paths and queries of webhooks hold what opens doors.
    const { host } = new URL(destinationOf(target.url));
    return { delivery_id: deliveryId(event), task_id, event: told, host };
  };
  return openSpan('webhook create', { attributes, ...belonging(event.traceparent) });
}

/** The same with the rows of events. */
export async function storeAndQueue(deps: CreateDeliveryDependencies, rows: readonly Delivery[]): Promise<void> {
  if (rows.length === 0) return;
  await deps.deliveries.insertMany(rows);
  await queueDeliveries(deps, rows);
}

/**
 * Records these events as ended before they began: whoever is about to record one as pending, not knowing yet that its
 * registration has ended, finds it there and sends nothing.
 */
export async function createEnded(
  deps: Pick<CreateDeliveryDependencies, 'deliveries' | 'sealer' | 'clock'>,
  events: readonly OutgoingEvent[],
): Promise<void> {
  const rows = events.map((event) => deliveryOf(deps, event));
  if (rows.length > 0) await deps.deliveries.insertMany(rows.map((row) => ({ ...row, ...ENDED })));
}

/** What ending a delivery changes in it. */
export const ENDED = { state: 'ended', next_attempt_at: null } as const satisfies Partial<Delivery>;

/** The id of a delivery, derived from what makes the event one. */
export function deliveryId(of: {
  task_id: string;
  sequence: number;
  target: Pick<WebhookTarget, 'registration_id'>;
  resend_of?: string | undefined;
}): string {
  const source = JSON.stringify([of.task_id, of.sequence, of.target.registration_id, of.resend_of]);
  return `d${createHash('sha256').update(source).digest('hex').slice(0, 32)}`;
}

/** The row of an event, not stored yet. */
export function deliveryOf(
  { clock, sealer }: Pick<CreateDeliveryDependencies, 'clock' | 'sealer'>,
  event: OutgoingEvent,
  span?: OpenSpan,
): Delivery {
  const { target, body, isBodySecret = false, sealed_header_token, follows, traceparent: _above, ...facts } = event;
  const traceparent = span?.traceparent;
  const nowMs = clock.now();
  const timestamp = toTimestamp(nowMs);
  return {
    ...facts,
    ...(follows !== undefined && { follows }),
    ...(traceparent !== undefined && { traceparent }),
    delivery_id: deliveryId(event),
    revision: 1,
    registration_id: target.registration_id,
    url: isUrlOpen(target.url) ? storedUrl(sealer, target.url) : target.url,
    destination: destinationOf(target.url),
    target: targetKey(gateTargetOf({ organization_id: event.organization_id, url: target.url })),
    mode: target.mode,
    ...(target.dialect !== undefined && { dialect: target.dialect }),
    ...(target.sealed_credentials !== undefined && { sealed_credentials: target.sealed_credentials }),
    ...(sealed_header_token !== undefined && { sealed_header_token }),
    body: isBodySecret ? sealer.seal(body, sealedFor(registeredUrl(sealer, target.url))) : body,
    is_body_sealed: isBodySecret,
    state: 'pending',
    attempts: [],
    next_attempt_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
    expires_at: toTimestamp(nowMs + DELIVERY_RETENTION_MS),
  };
}
