import { z } from 'zod';
import { BuyerRangeView, RangeCount, RangeRequest } from '../../webhooks/buyer/resend-range.ts';
import { endpoint } from '../endpoint.ts';
import { CHANGE_LIMIT, NOT_KEPT, ownOrganization, READ_LIMIT, READING, WRITING } from './own.ts';
import { ActingQuery, RangeParams, RangeQuery } from './schema.ts';

/** Rule C.endpoints.buyer-webhooks: an organization sees and does what is its own alone. */
export const countOwnRange = endpoint({
  ...READING,
  id: 'countOwnRange',
  path: '/api/buyer/webhooks/range-count',
  summary: 'Count the webhooks that a range would send again',
  description: 'Nothing is sent. Ask for the range with the `until` of the answer.',
  limit: READ_LIMIT,
  query: RangeQuery,
  responses: { 200: { description: 'How many, and how long it would take', schema: RangeCount } },

  async handle({ query: { organization_id: _acting, ...asked } }, call) {
    return { body: await call.webhooks.buyer.ranges.count(ownOrganization(call), asked), headers: NOT_KEPT };
  },
});

/** Rule W7 says under which key. */
export const resendOwnRange = endpoint({
  ...WRITING,
  id: 'resendOwnRange',
  path: '/api/buyer/webhooks/ranges',
  summary: 'Have many webhooks sent to you again, oldest first',
  description:
    'Up to 1,000 that are over with one outcome, each once, as fast as 60 an hour allow: what you send again by itself counts, too. It goes on by itself, whatever restarts. The same range asked for again is the same.',
  limit: CHANGE_LIMIT,
  query: ActingQuery,
  body: RangeRequest,
  responses: { 200: { description: 'The range as it stands', schema: BuyerRangeView } },

  async handle({ body }, call) {
    const range = await call.webhooks.buyer.ranges.ask(ownOrganization(call), body, call.budgets);
    return { body: range, headers: NOT_KEPT };
  },
});

export const listOwnRanges = endpoint({
  ...READING,
  id: 'listOwnRanges',
  path: '/api/buyer/webhooks/ranges',
  summary: 'Show the ranges that you have had sent again',
  description: 'The newest 50 of 30 days, each with how far it has come.',
  limit: READ_LIMIT,
  query: ActingQuery,
  responses: { 200: { description: 'Newest first', schema: z.object({ ranges: z.array(BuyerRangeView) }) } },

  async handle(_input, call) {
    return { body: { ranges: await call.webhooks.buyer.ranges.list(ownOrganization(call)) }, headers: NOT_KEPT };
  },
});

export const showOwnRange = endpoint({
  ...READING,
  id: 'showOwnRange',
  path: '/api/buyer/webhooks/ranges/{range_id}',
  summary: 'Show how far a range has come',
  limit: READ_LIMIT,
  params: RangeParams,
  query: ActingQuery,
  responses: { 200: { description: 'The range as it stands', schema: BuyerRangeView } },

  async handle({ params }, call) {
    return { body: await call.webhooks.buyer.ranges.show(ownOrganization(call), params.range_id), headers: NOT_KEPT };
  },
});

export const stopOwnRange = endpoint({
  ...WRITING,
  id: 'stopOwnRange',
  path: '/api/buyer/webhooks/ranges/{range_id}/stop',
  summary: 'Send no more of a range',
  description: 'What it has sent already stays sent. May be repeated.',
  limit: CHANGE_LIMIT,
  params: RangeParams,
  query: ActingQuery,
  responses: { 200: { description: 'The range as it was left', schema: BuyerRangeView } },

  async handle({ params }, call) {
    return { body: await call.webhooks.buyer.ranges.stop(ownOrganization(call), params.range_id), headers: NOT_KEPT };
  },
});
