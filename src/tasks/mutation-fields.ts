import { z } from 'zod';
import { PushNotificationConfig } from '../webhooks/registration/push-notification-config.ts';

/** A buyer's key that makes a repeated request the same request (rule B7). */
export const IdempotencyKey = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{16,255}$/, 'send 16 to 255 of A-Z, a-z, 0-9, "_", ".", ":" and "-"')
  .describe('Yours: the same request under it is the same task while that is open, and for 24 hours after.');

/** Echoed verbatim in every webhook and answer of the task (rule C.events.2). */
export const Context = z
  .record(z.string(), z.unknown())
  .describe('Echoed as it is in every answer and webhook of the task.');

/** What every task that changes something accepts besides its own fields. */
export const mutationFields = {
  idempotency_key: IdempotencyKey.optional(),
  context: Context.optional(),
  push_notification_config: PushNotificationConfig.optional().describe(
    'Where the steps and the end of this task are told, signed, and then what impairs its media buy.',
  ),
};

/**
 * What every task that only reads accepts besides its own fields; a registration is refused by the runtime (rule W3).
 */
export const readFields = {
  context: Context.optional(),
  push_notification_config: PushNotificationConfig.optional(),
};
