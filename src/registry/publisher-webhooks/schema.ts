import { z } from 'zod';
import { PublisherEventName, PUBLISHER_EVENTS } from '../../directory/publisher-watch/publisher-watch.ts';
import type { PublisherWatch } from '../../directory/publisher-watch/publisher-watch.ts';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import { PushNotificationConfig, WebhookAuthentication } from '../../webhooks/registration/push-notification-config.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';

const Events = z
  .array(PublisherEventName)
  .min(1, 'name at least one event, or leave it out for all')
  .max(PUBLISHER_EVENTS.length, 'name each event once');

const operation_id = z
  .string()
  .min(1)
  .max(512)
  .describe('Echoed in every webhook; default: the id of the registration');

export const PublisherWebhookRequest = z.strictObject({
  publisher_domain: z
    .string()
    .min(1, 'required; send a domain that the organization has proved')
    .max(300)
    .describe('One of the proved domains of the organization, or below one'),
  url: PushNotificationConfig.shape.url.describe('https; the same addresses as of any webhook'),
  authentication: WebhookAuthentication.optional().describe('Without it webhooks are signed (RFC 9421)'),
  operation_id: operation_id.optional(),
  events: Events.optional().describe('Those wanted; default: all'),
});

export const PublisherWebhookChange = z.strictObject({
  url: PushNotificationConfig.shape.url.optional(),
  authentication: WebhookAuthentication.nullable()
    .optional()
    .describe('Null: signed. To be sent again with another url, for a secret is kept for one URL alone'),
  operation_id: operation_id.optional(),
  events: Events.nullable().optional().describe('Null: all'),
});

export const PublisherWebhookParams = OrganizationParams.extend({ registrationId: z.string().min(1).max(100) });

/** A registration as its owners see it: without secrets, and without the query of its URL. */
export const PublisherWebhookView = z.object({
  registration_id: z.string().describe('Also the task_id of its webhooks, by which its deliveries are found'),
  publisher_domain: z.string(),
  url: z.string().describe('Without its query'),
  schemes: z.array(z.string()).describe('Empty: signed (RFC 9421)'),
  operation_id: z.string(),
  events: z.array(PublisherEventName),
  events_decided: z.int().describe('So many webhooks have been decided for it'),
  created_by: z.string(),
  created_at: z.string(),
});

export function viewOfWatch(row: PublisherWatch): z.infer<typeof PublisherWebhookView> {
  const { registration_id, publisher_domain, url, authentication, sequence, created_by, created_at } = row;
  return {
    ...{ registration_id, publisher_domain, url: withoutQuery(url), schemes: authentication?.schemes ?? [] },
    ...{ operation_id: row.operation_id ?? registration_id, events: row.events ?? [...PUBLISHER_EVENTS] },
    ...{ events_decided: sequence, created_by, created_at },
  };
}
