import { z } from 'zod';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { findByVerifiedDomain } from '../../directory/organization/find-by-domain.ts';
import { keptStanding, standingOf } from '../../directory/publisher-watch/publisher-standing.ts';
import { publisherWatches } from '../../directory/publisher-watch/publisher-watch.ts';
import type { PublisherWatch } from '../../directory/publisher-watch/publisher-watch.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { TestOutcome } from '../../webhooks/buyer/test-event.ts';
import { requireOwner } from '../auth/require-owner.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { OrganizationParams } from '../request-to-join/schema.ts';
import { endWatch } from './look.ts';
import { channelOf } from './news-webhook.ts';
import {
  PublisherWebhookChange,
  PublisherWebhookParams,
  PublisherWebhookRequest,
  PublisherWebhookView,
  viewOfWatch,
} from './schema.ts';

const PATH = '/api/organizations/{orgId}/publisher-webhooks';
/** Rule R15.told. */
const OF_OWNERS = { tag: 'Publishers', access: 'required' } as const;
const CHANGING = { ...OF_OWNERS, effect: 'write', limit: 'change_publisher_webhooks' } as const;
/** More than an organization may have. */
const MOST = 100;

export const registerPublisherWebhook = endpoint({
  ...CHANGING,
  id: 'registerPublisherWebhook',
  method: 'post',
  path: PATH,
  summary: 'Be told by webhook when who may sell for your domain changes; for owners',
  description:
    'Told from now on: agents listed, changed and gone, authorizations that begin and end by their dates, and a file that cannot be read three times in a row. Several changes of one kind at once are one webhook. What came and went between two looks is not told.',
  params: OrganizationParams,
  body: PublisherWebhookRequest,
  responses: { 201: { description: 'The registration', schema: PublisherWebhookView } },

  async handle({ params, body }, call) {
    const { organization, user } = await requireOwner(call.store, call.caller, params.orgId);
    const { organization_id } = organization;
    const publisher_domain = normalizeDomain(body.publisher_domain)?.domain;
    const holder =
      publisher_domain === undefined ? undefined : await findByVerifiedDomain(call.store, publisher_domain);
    if (publisher_domain === undefined || holder?.organization_id !== organization_id)
      throw new AppError('VALIDATION_ERROR', 'publisher_domain: the organization has not proved this domain', {
        field: 'publisher_domain',
        suggestion: `prove it by POST /api/organizations/${organization_id}/claims first`,
      });
    const { url, authentication, operation_id, events } = body;
    const sealed = call.webhooks.sealBuyChannel({ url, authentication }, '');
    const rows = call.store.collection(publisherWatches);
    call.budgets.checkRows('publisher_webhooks', await rows.count({ organization_id }, { most: MOST }));
    const nowMs = call.clock.now();
    const now = await standingOf(call.store, publisher_domain, nowMs);
    const row: PublisherWatch = {
      ...{ registration_id: `publisher-${call.ids.newId()}`, organization_id, publisher_domain, url: sealed.url },
      ...(sealed.authentication !== undefined && { authentication: sealed.authentication }),
      ...(operation_id !== undefined && { operation_id }),
      ...(events !== undefined && { events }),
      ...{ manager_domain: now.manager_domain, told: keptStanding(now), sequence: 0, owed: [] },
      // What changed since that was read is looked for at once.
      ...{ look_at: toTimestamp(nowMs), created_by: user.user_id, created_at: toTimestamp(nowMs), revision: 1 },
    };
    await rows.insert(row);
    return { status: 201, body: viewOfWatch(row) };
  },
});

export const listPublisherWebhooks = endpoint({
  ...OF_OWNERS,
  id: 'listPublisherWebhooks',
  method: 'get',
  path: PATH,
  effect: 'read',
  limit: 'read_publisher_webhooks',
  summary: "List the organization's webhooks of publishers, the oldest first; for owners",
  description: 'Their deliveries are among those of the organization, by task_id: GET /api/buyer/webhooks/deliveries.',
  params: OrganizationParams,
  responses: {
    200: { description: 'All of them', schema: z.object({ webhooks: z.array(PublisherWebhookView) }) },
  },

  async handle({ params }, { store, caller }) {
    const { organization } = await requireOwner(store, caller, params.orgId);
    const { rows } = await store.collection(publisherWatches).find({
      where: { organization_id: organization.organization_id },
      sort: { field: 'created_at', direction: 'asc' },
      limit: MOST,
    });
    return { body: { webhooks: rows.filter((row) => row.ended_at === undefined).map(viewOfWatch) } };
  },
});

export const changePublisherWebhook = endpoint({
  ...CHANGING,
  id: 'changePublisherWebhook',
  method: 'patch',
  path: `${PATH}/{registrationId}`,
  summary: 'Change where a webhook of a publisher goes, how it is proved, or what it tells; for owners',
  description: 'What is on its way still goes to where it was going.',
  params: PublisherWebhookParams,
  body: PublisherWebhookChange,
  responses: { 200: { description: 'The registration as it is now', schema: PublisherWebhookView } },

  async handle({ params, body }, call) {
    const own = await ownWatch(call, params);
    const { url, authentication, operation_id, events } = body;
    const opened = url !== undefined || authentication !== undefined;
    if (opened && authentication === undefined && own.authentication !== undefined)
      throw new AppError(
        'VALIDATION_ERROR',
        'authentication: send it again with another url, or null for signed webhooks',
        {
          field: 'authentication',
        },
      );
    if (opened && url === undefined)
      throw new AppError('VALIDATION_ERROR', 'url: send it with authentication, whose secret is kept for it alone', {
        field: 'url',
      });
    const sealed =
      url === undefined
        ? undefined
        : call.webhooks.sealBuyChannel({ url, authentication: authentication ?? undefined }, '');
    const outcome = await call.store.collection(publisherWatches).update(own.registration_id, (stored) => {
      if (stored.ended_at !== undefined) return undefined;
      const { authentication: former, events: before, ...row } = stored;
      const [proof, wanted] = [
        sealed === undefined ? former : sealed.authentication,
        events === undefined ? before : events,
      ];
      return {
        ...row,
        ...(sealed !== undefined && { url: sealed.url }),
        ...(proof !== undefined && { authentication: proof }),
        ...(operation_id !== undefined && { operation_id }),
        ...(wanted != null && { events: wanted }),
      };
    });
    if (outcome === undefined || outcome.row.ended_at !== undefined) throw unknown();
    return { body: viewOfWatch(outcome.row) };
  },
});

export const deletePublisherWebhook = endpoint({
  ...CHANGING,
  id: 'deletePublisherWebhook',
  method: 'delete',
  path: `${PATH}/{registrationId}`,
  summary: 'End a webhook of a publisher, and what is on its way; for owners',
  params: PublisherWebhookParams,
  responses: { 204: { description: 'Nothing more goes there' } },

  async handle({ params }, call) {
    await endWatch(call, (await ownWatch(call, params)).registration_id);
    return { status: 204 };
  },
});

export const testPublisherWebhook = endpoint({
  ...CHANGING,
  id: 'testPublisherWebhook',
  method: 'post',
  path: `${PATH}/{registrationId}/test`,
  summary: 'Have a test event sent to a webhook of a publisher, and see what happened; for owners',
  description: 'As POST /api/buyer/webhooks/test does, proved as the registration says. It is sent once and not kept.',
  params: PublisherWebhookParams,
  responses: { 200: { description: 'What happened, also when the receiver took nothing', schema: TestOutcome } },

  async handle({ params }, call) {
    const row = await ownWatch(call, params);
    const { operation_id = row.registration_id, ...channel } = channelOf(row);
    return { body: await call.webhooks.testChannel(row.organization_id, { ...channel, operation_id }) };
  },
});

/** @throws {AppError} `NOT_FOUND` for another's, and for one that has ended, alike (rule T5). */
async function ownWatch(
  { store, caller }: EndpointCall,
  { orgId, registrationId }: z.infer<typeof PublisherWebhookParams>,
): Promise<PublisherWatch> {
  const { organization } = await requireOwner(store, caller, orgId);
  const row = await store.collection(publisherWatches).get(registrationId);
  if (row?.organization_id !== organization.organization_id || row.ended_at !== undefined) throw unknown();
  return row;
}

function unknown(): AppError {
  return new AppError('NOT_FOUND', 'the organization has no such webhook', { field: 'registrationId' });
}
