import { z } from 'zod';
import { pageEnd } from '../../tasks/paging.ts';
import { BuyerKey } from '../../webhooks/buyer/keys.ts';
import { SentBody } from '../../webhooks/delivery/sent-body.ts';
import { Success } from '../../webhooks/buyer/success.ts';
import { PublishedKeys } from '../../webhooks/buyer/keys.ts';
import { endpoint } from '../endpoint.ts';
import { NOT_KEPT, ownOrganization, READ_LIMIT, READING } from './own.ts';
import { ActingQuery, DeliveryParams, KeysQuery, StatsQuery } from './schema.ts';

/** Rule C.endpoints.buyer-webhooks: an organization sees and does what is its own alone. */
export const showOwnDeliveryBody = endpoint({
  ...READING,
  id: 'showOwnDeliveryBody',
  path: '/api/buyer/webhooks/deliveries/{delivery_id}/body',
  summary: 'Show what one webhook sends, to the byte, and how to verify it yourself',
  description: 'The same bytes on every attempt. The token that you gave is a row of stars.',
  limit: READ_LIMIT,
  params: DeliveryParams,
  query: ActingQuery,
  responses: { 200: { description: 'The bytes, their digest, and commands', schema: SentBody } },

  async handle({ params }, call) {
    return { body: await call.webhooks.buyer.body(ownOrganization(call), params.delivery_id), headers: NOT_KEPT };
  },
});

export const showOwnWebhookStats = endpoint({
  ...READING,
  id: 'showOwnWebhookStats',
  path: '/api/buyer/webhooks/stats',
  summary: 'Count what became of the webhooks sent to you, step by step',
  limit: 'read_destinations',
  query: StatsQuery,
  responses: { 200: { description: 'Oldest first, by when the events were recorded', schema: Success } },

  async handle({ query: { range = 'day' } }, call) {
    return { body: await call.webhooks.buyer.success(ownOrganization(call), range), headers: NOT_KEPT };
  },
});

export const listOwnWebhookKeys = endpoint({
  ...READING,
  id: 'listOwnWebhookKeys',
  path: '/api/buyer/webhooks/api-keys',
  summary: 'Show when each of your API keys was last used',
  description: 'Never the keys themselves; owners make and revoke them under `/api/organizations/{orgId}/api-keys`.',
  limit: READ_LIMIT,
  query: KeysQuery,
  responses: {
    200: {
      description: 'A page, newest first, revoked ones included',
      schema: z.object({ api_keys: z.array(BuyerKey), has_more: z.boolean(), cursor: z.string().optional() }),
    },
  },

  async handle({ query: { cursor: after } }, call) {
    const { rows, cursor } = await call.webhooks.buyer.apiKeys(ownOrganization(call), after);
    return { body: { api_keys: rows, ...pageEnd(cursor) }, headers: NOT_KEPT };
  },
});

export const listCardKeys = endpoint({
  ...READING,
  id: 'listCardKeys',
  path: '/api/buyer/webhooks/signing-keys',
  summary: 'Show the keys that webhooks to you are signed with',
  description: 'As the documents that the agent’s card leads to have them; what verifies reads those.',
  limit: READ_LIMIT,
  query: ActingQuery,
  responses: {
    200: { description: 'Published ones, and those that must not be trusted any more', schema: PublishedKeys },
  },

  async handle(_input, call) {
    ownOrganization(call);
    return { body: await call.webhooks.buyer.signingKeys(), headers: NOT_KEPT };
  },
});
