import type { OwedNews, PublisherEventName, PublisherWatch } from '../../directory/publisher-watch/publisher-watch.ts';
import type { OutgoingEvent } from '../../webhooks/delivery/create-delivery.ts';
import { mcpEnvelope } from '../../webhooks/envelope/envelope-mcp.ts';
import { buyChannel } from '../../webhooks/registration/buy-channel.ts';
import { WebhookAuthentication } from '../../webhooks/registration/push-notification-config.ts';

/** What the `task_type` of these webhooks is: no task is called so. */
export const PUBLISHER_EVENT = 'publisher_event';

const MESSAGES: Record<PublisherEventName, string> = {
  'authorization.added': 'agents were listed for the publisher',
  'authorization.changed': 'what is published of agents of the publisher changed',
  'authorization.removed': 'agents are no longer listed for the publisher',
  'authorization.began': 'agents may sell for the publisher from now on, by what was published before',
  'authorization.ended': 'agents may no longer sell for the publisher, by what was published before',
  'crawl.failing': "the publisher's file could not be read several times in a row",
  'crawl.recovered': "the publisher's file can be read again",
};

/** The event as any webhook is sent; the same however often it is made. */
export function newsWebhook(row: PublisherWatch, news: OwedNews): OutgoingEvent {
  const { registration_id, organization_id, operation_id } = row;
  const { sequence, event, idempotency_key, decided_at: timestamp, result } = news;
  const facts = { task_id: registration_id, task_type: PUBLISHER_EVENT };
  return {
    ...{ organization_id, ...facts, subject_id: null, sequence, event, idempotency_key },
    target: buyChannel(channelOf(row), registration_id, row.created_at),
    body: JSON.stringify(
      mcpEnvelope({
        ...{ ...facts, idempotency_key, operation_id: operation_id ?? registration_id, status: 'completed' },
        ...{ timestamp, message: MESSAGES[event], result },
      }),
    ),
  };
}

/** Where a registration leads, with its secrets sealed. */
export function channelOf({
  url,
  operation_id,
  authentication,
}: Pick<PublisherWatch, 'url' | 'operation_id' | 'authentication'>) {
  return {
    url,
    ...(operation_id !== undefined && { operation_id }),
    ...(authentication !== undefined && { authentication: WebhookAuthentication.parse(authentication) }),
  };
}
