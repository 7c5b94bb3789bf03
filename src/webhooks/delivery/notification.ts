import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import { registeredUrl } from '../../platform/crypto/sealed-url.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import { echoed } from '../../runtime/context-text.ts';
import { Registration } from '../../runtime/registration.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { OutgoingEvent } from './create-delivery.ts';
import { mcpEnvelope } from '../envelope/envelope-mcp.ts';
import { withinLimit } from '../envelope/envelope.ts';
import { sealedFor } from '../registration/webhook-target.ts';

/**
 * Something to be sent that no task's status says, made and not yet on its way: it can be stored, and makes the same webhook
 * whenever it is sent. Holds where it goes as that stood when it was made.
 */
export const Notification = z.strictObject({
  organization_id: OrganizationId,
  /** The media buy it concerns. */
  subject_id: MediaBuyId,
  /** With `sequence` and the registration, what makes it one: called so on the wire, and never the id of a task. */
  task_id: z.string(),
  task_type: z.string(),
  sequence: z.int(),
  /** What happened, in one word. */
  event: z.string(),
  idempotency_key: z.string(),
  /** Only of state-shaped notifications (rule C.events.4). */
  notification_id: z.string().optional(),
  operation_id: z.string().optional(),
  timestamp: z.string(),
  message: z.string(),
  result: JsonObject,
  /** What the request that registered the webhook carried. */
  context: z.unknown().optional(),
  /** The same as it was written (rule W19); absent in rows of 0.1.0. */
  context_text: z.string().optional(),
  registration: Registration,
});
export type Notification = z.infer<typeof Notification>;

/** How to read what is too large to be told. */
const READ_INSTEAD = 'the content is too large for a webhook; read it with get_media_buys and get_media_buy_delivery';

/** The event to be delivered: an MCP-style envelope of at most 1 MB (rules C.resources.envelope, C.events.1). */
export function eventOfNotification(sealer: Sealer, notification: Notification): OutgoingEvent {
  const { organization_id, subject_id, task_id, task_type, sequence, event, idempotency_key, registration } =
    notification;
  const { sealed_token, url, dialect } = registration;
  const token =
    sealed_token === undefined ? undefined : sealer.open(sealed_token, sealedFor(registeredUrl(sealer, url)));
  const { notification_id, operation_id, timestamp, message, result } = notification;
  const envelope = {
    idempotency_key,
    notification_id,
    operation_id,
    task_id,
    task_type,
    timestamp,
    message,
    token,
    dialect,
  };
  const body = withinLimit(
    (omit) =>
      mcpEnvelope({
        ...envelope,
        status: 'completed',
        result: omit?.note ?? result,
        context: omit?.context === true ? undefined : echoed(notification),
      }),
    task_id,
    READ_INSTEAD,
  );
  const isBodySecret = token !== undefined;
  return {
    ...{ organization_id, task_id, task_type, subject_id, sequence, event, idempotency_key, body, isBodySecret },
    target: registration,
  };
}
