import { z } from 'zod';
import { pageEnd } from '../../tasks/paging.ts';
import { AppError } from '../../platform/errors.ts';
import { BuyerDelivery, BuyerDeliveryDetail } from '../../webhooks/buyer/delivery-view.ts';
import { DestinationHealth } from '../../webhooks/buyer/destination-health.ts';
import { TestOutcome, TestRequest } from '../../webhooks/buyer/test-event.ts';
import { Resent } from '../../webhooks/delivery/resend.ts';
import { canonicalTargetUri } from '#receiver/wire/target-uri';
import { endpoint } from '../endpoint.ts';
import { NOT_KEPT, ownOrganization, READ_LIMIT, READING, WRITING } from './own.ts';
import { ActingQuery, DeliveriesQuery, DeliveryParams, DestinationsQuery } from './schema.ts';

/** Rule C.endpoints.buyer-webhooks: an organization sees and does what is its own alone. */
export const listOwnDeliveries = endpoint({
  ...READING,
  id: 'listOwnDeliveries',
  path: '/api/buyer/webhooks/deliveries',
  summary: 'List the webhooks sent to you, newest first',
  description:
    'Kept for 30 days: what each told, where it went, how often it was tried, the last answer and what is next.',
  limit: READ_LIMIT,
  query: DeliveriesQuery,
  responses: {
    200: {
      description: 'A page, newest first; `cursor` is there exactly when there is more',
      schema: z.object({ deliveries: z.array(BuyerDelivery), has_more: z.boolean(), cursor: z.string().optional() }),
    },
  },

  async handle({ query: { state, task_id, limit = 50, cursor: after } }, call) {
    const page = await call.webhooks.buyer.list(ownOrganization(call), { state, task_id }, { limit, after });
    const { rows: deliveries, cursor } = page;
    return { body: { deliveries, ...pageEnd(cursor) }, headers: NOT_KEPT };
  },
});

export const showOwnDelivery = endpoint({
  ...READING,
  id: 'showOwnDelivery',
  path: '/api/buyer/webhooks/deliveries/{delivery_id}',
  summary: 'Show one webhook with all its attempts',
  description: 'Each with the time spent per phase, the status, how we classify it, and what to do about it.',
  limit: READ_LIMIT,
  params: DeliveryParams,
  query: ActingQuery,
  responses: { 200: { description: 'The delivery and its attempts, oldest first', schema: BuyerDeliveryDetail } },

  async handle({ params }, call) {
    return { body: await call.webhooks.buyer.show(ownOrganization(call), params.delivery_id), headers: NOT_KEPT };
  },
});

/** Rule W7 says under which key. */
export const resendOwnDelivery = endpoint({
  ...WRITING,
  id: 'resendOwnDelivery',
  path: '/api/buyer/webhooks/deliveries/{delivery_id}/resend',
  summary: 'Have one webhook sent to you again, now',
  description:
    'Under its own key within 24 hours of its first attempt, so that a receiver that has it knows; later as a new event with a new key.',
  limit: 'resend_webhook',
  params: DeliveryParams,
  query: ActingQuery,
  responses: { 200: { description: 'The delivery to look at, and whether its event is a new one', schema: Resent } },

  async handle({ params }, call) {
    return { body: await call.webhooks.buyer.resend(ownOrganization(call), params.delivery_id), headers: NOT_KEPT };
  },
});

export const listOwnDestinations = endpoint({
  ...READING,
  id: 'listOwnDestinations',
  path: '/api/buyer/webhooks/destinations',
  summary: 'Show how your receivers do',
  description: 'By what your own webhooks met there: the last answer, the last success, what waits and since when.',
  limit: 'read_destinations',
  query: DestinationsQuery,
  responses: {
    200: {
      description: 'Those of your recent or waiting webhooks, the most waiting first',
      schema: z.object({ destinations: z.array(DestinationHealth) }),
    },
  },

  async handle({ query: { url } }, call) {
    const wanted = url === undefined ? undefined : originOf(url);
    const all = await call.webhooks.buyer.destinations(ownOrganization(call));
    const destinations = all.filter(({ destination }) => wanted === undefined || destination === wanted);
    return { body: { destinations }, headers: NOT_KEPT };
  },
});

/** Bound by the same rules as any webhook (rules W4, W16). */
export const sendTestWebhook = endpoint({
  ...WRITING,
  id: 'sendTestWebhook',
  path: '/api/buyer/webhooks/test',
  summary: 'Have a signed test event sent to a URL, and see what happened',
  description:
    'An ordinary event whose task_type is webhook_test and whose result says `test: true`. Answered once the receiver has, within 15 seconds, phase by phase. It is sent once and not kept; one a second goes to a destination.',
  limit: 'test_webhook',
  query: ActingQuery,
  body: TestRequest,
  responses: { 200: { description: 'What happened, also when the receiver took nothing', schema: TestOutcome } },

  async handle({ body }, call) {
    return { body: await call.webhooks.buyer.test(ownOrganization(call), body), headers: NOT_KEPT };
  },
});

/** @throws {AppError} `INVALID_REQUEST` for what is no URL. */
function originOf(url: string): string {
  const origin = canonicalTargetUri(url)?.origin;
  if (origin !== undefined) return origin;
  throw new AppError('INVALID_REQUEST', 'url: send a URL, such as https://buyer.example', { field: 'url' });
}
