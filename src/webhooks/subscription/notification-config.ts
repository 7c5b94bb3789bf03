import { z } from 'zod';
import { MAX_WEBHOOK_URL, WebhookAuthentication } from '../registration/push-notification-config.ts';

/** What is told of accounts. */
export const ACCOUNT_EVENTS = ['creative.status_changed', 'account.status_changed'] as const;
export const AccountEvent = z.enum(ACCOUNT_EVENTS);
export type AccountEvent = z.infer<typeof AccountEvent>;

/** How many subscribers an account has at most, as the public protocol bounds them. */
export const MAX_SUBSCRIBERS = 16;

/** A webhook that hears of an account and its creatives, for as long as the account names it (rule D5.accounts). */
export const NotificationConfig = z.strictObject({
  subscriber_id: z
    .string()
    .regex(/^[A-Za-z0-9_.:-]{1,64}$/, 'send 1 to 64 of A-Z, a-z, 0-9, "_", ".", ":" and "-"')
    .describe('Chosen by the buyer, one for each of the account; echoed in every webhook.'),
  url: z.string().min(1).max(MAX_WEBHOOK_URL).describe("The buyer's webhook URL; https."),
  event_types: z
    .array(AccountEvent)
    .min(1, 'name what it is to hear of')
    .max(ACCOUNT_EVENTS.length, 'name each once')
    .refine((types) => new Set(types).size === types.length, 'name each once'),
  authentication: WebhookAuthentication.optional(),
  active: z.boolean().default(true).describe('false: it is kept, and told nothing.'),
});
export type NotificationConfig = z.infer<typeof NotificationConfig>;

/** All of an account, in place of those before. */
export const NotificationConfigs = z
  .array(NotificationConfig)
  .max(MAX_SUBSCRIBERS, `send at most ${MAX_SUBSCRIBERS}`)
  .superRefine((configs, context) => {
    const seen = new Set<string>();
    for (const [i, { subscriber_id }] of configs.entries()) {
      if (seen.has(subscriber_id))
        context.addIssue({
          code: 'custom',
          path: [i, 'subscriber_id'],
          message: 'another one has this id; send each once',
        });
      seen.add(subscriber_id);
    }
  });

/** A subscriber as it is told back: without secrets, and without what stands behind `?` in its URL. */
export const NotificationConfigView = z.strictObject({
  subscriber_id: z.string(),
  url: z.string().describe('Without its query'),
  event_types: z.array(z.string()),
  authentication: z.strictObject({ schemes: z.array(z.string()) }).optional(),
  active: z.boolean().describe('false also where its receiver answered 410'),
});
export type NotificationConfigView = z.infer<typeof NotificationConfigView>;
