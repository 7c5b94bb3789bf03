import { z } from 'zod';
import { EVERY_NAME_NEEDS_CREDENTIALS, WIRE_NAMES } from '../schemes/named-schemes.ts';

/** The longest webhook URL that is taken, in characters. */
export const MAX_WEBHOOK_URL = 2048;
/** The longest token or shared secret that is taken, in characters. */
export const MAX_SECRET = 4096;

/**
 * The buyer's correlation id. A missing one is `INVALID_REQUEST` rather than a schema failure (rules C.events.3,
 * W2), which only a custom check can say.
 */
const OperationId = z
  .unknown()
  .superRefine((value, context) => {
    if (value !== undefined) return;
    context.addIssue({
      code: 'custom',
      params: { code: 'INVALID_REQUEST' },
      message: 'required; send an id of your own, unique per call (a UUID), that every webhook will echo',
    });
  })
  .meta({
    type: 'string',
    minLength: 1,
    maxLength: 512,
    description: 'Chosen by the buyer, unique per task invocation (a UUID is best); echoed in every webhook.',
  })
  .pipe(z.string().min(1).max(512));

const Credentials = z
  .string()
  .max(MAX_SECRET)
  .describe('Shared secret or token of at least 32 characters; stored encrypted and never shown again.');

/**
 * The buyer names a scheme instead of leaving the choice to the agent; that and only that is sent (rule W4). Which need
 * credentials, and which are deprecated, each says in `src/webhooks/schemes`.
 */
export const WebhookAuthentication = z.strictObject({
  schemes: z.array(z.enum(WIRE_NAMES)).min(1).max(WIRE_NAMES.length),
  credentials: (EVERY_NAME_NEEDS_CREDENTIALS ? Credentials : Credentials.optional()) as z.ZodType<string | undefined>,
});
export type WebhookAuthentication = z.infer<typeof WebhookAuthentication>;

/** `push_notification_config` of a task's input (rule C.resources.push-config). */
export const PushNotificationConfig = z.strictObject({
  operation_id: OperationId,
  url: z.string().min(1).max(MAX_WEBHOOK_URL).describe("The buyer's webhook URL; https."),
  authentication: WebhookAuthentication.optional(),
  token: z.string().min(1).max(MAX_SECRET).optional().describe('Echoed in every webhook as it is.'),
});
export type PushNotificationConfig = z.infer<typeof PushNotificationConfig>;

/** Absent strings of an A2A configuration arrive as `''` from protobuf-born clients. */
const A2aText = z
  .string()
  .max(MAX_SECRET)
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/**
 * A registration by A2A's own mechanism, in either wire generation: 0.3 lists `schemes`, 1.0 has one `scheme`
 * (rule W5). Members that concern only the wire are left to the edge.
 */
export const A2aPushConfig = z.object({
  id: A2aText,
  url: z.string().min(1).max(MAX_WEBHOOK_URL),
  token: A2aText,
  authentication: z
    .object({
      scheme: A2aText,
      schemes: z.array(z.string().max(100)).max(10).optional(),
      credentials: A2aText,
    })
    .nullish(),
});
export type A2aPushConfig = z.infer<typeof A2aPushConfig>;
