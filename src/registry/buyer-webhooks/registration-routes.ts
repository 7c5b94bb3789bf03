import { z } from 'zod';
import { pageEnd } from '../../tasks/paging.ts';
import { BuyerRegistration } from '../../webhooks/buyer/registrations.ts';
import { TestOutcome } from '../../webhooks/buyer/test-event.ts';
import { endpoint } from '../endpoint.ts';
import { CHANGE_LIMIT, NOT_KEPT, ownOrganization, READ_LIMIT, READING, WRITING } from './own.ts';
import { ActingQuery, RegistrationParams, RegistrationsQuery } from './schema.ts';

/** Rule C.endpoints.buyer-webhooks: an organization sees and does what is its own alone. */
export const listOwnRegistrations = endpoint({
  ...READING,
  id: 'listOwnRegistrations',
  path: '/api/buyer/webhooks/registrations',
  summary: 'Show where the news of your tasks goes',
  description:
    'Of the tasks that changed last first; those that have ended are among them. Of many tasks without any, a page may be empty though there is more. Report webhooks of a media buy are no task’s: `update_media_buy` changes them.',
  limit: READ_LIMIT,
  query: RegistrationsQuery,
  responses: {
    200: {
      description: 'A page; `cursor` is there exactly when there is more',
      schema: z.object({
        registrations: z.array(BuyerRegistration),
        has_more: z.boolean(),
        cursor: z.string().optional(),
      }),
    },
  },

  async handle({ query: { task_id, cursor: after } }, call) {
    const { rows, cursor } = await call.webhooks.buyer.registrations(ownOrganization(call), { task_id, after });
    return { body: { registrations: rows, ...pageEnd(cursor) }, headers: NOT_KEPT };
  },
});

export const endOwnRegistration = endpoint({
  ...WRITING,
  id: 'endOwnRegistration',
  path: '/api/buyer/webhooks/registrations/{task_id}/{registration_id}/end',
  summary: 'Have no more of a task sent to one of your registrations',
  description:
    'What is pending for it ends, but for an attempt that is on its way, and can not be sent again. May be repeated; you can register anew.',
  limit: CHANGE_LIMIT,
  params: RegistrationParams,
  query: ActingQuery,
  responses: { 200: { description: 'The registration as it is now', schema: BuyerRegistration } },

  async handle({ params }, call) {
    return { body: await call.webhooks.buyer.endRegistration(ownOrganization(call), params), headers: NOT_KEPT };
  },
});

/** Bound by the same rules as any webhook (rules W4, W16). */
export const testOwnRegistration = endpoint({
  ...WRITING,
  id: 'testOwnRegistration',
  path: '/api/buyer/webhooks/registrations/{task_id}/{registration_id}/test',
  summary: 'Have a test event sent to where a registration leads, proved as it has it',
  description:
    'As with a URL of your own, with the credentials and the token that were registered. Counted with those; answered once the receiver has.',
  limit: 'test_webhook',
  params: RegistrationParams,
  query: ActingQuery,
  responses: { 200: { description: 'What happened, also when the receiver took nothing', schema: TestOutcome } },

  async handle({ params }, call) {
    return { body: await call.webhooks.buyer.testRegistration(ownOrganization(call), params), headers: NOT_KEPT };
  },
});
