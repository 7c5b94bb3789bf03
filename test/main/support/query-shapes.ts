import { AdOrderRecords } from '../../../src/adservers/simulator/order-row.ts';
import { StatedDays } from '../../../src/adservers/simulator/stated-hours.ts';
import { UploadedCreatives } from '../../../src/adservers/simulator/creatives.ts';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import { ResendRanges } from '../../../src/admin/operator/webhooks/resend-range.ts';
import { portalSessions } from '../../../src/admin/portal-session.ts';
import { consoleSessions } from '../../../src/admin/session.ts';
import { agents } from '../../../src/directory/agent/agent.ts';
import { agentChecks } from '../../../src/directory/agent-check/agent-check.ts';
import { brandNames } from '../../../src/directory/brand/brand-name.ts';
import { registryBrands } from '../../../src/directory/brand/registry-brand.ts';
import { apiKeys } from '../../../src/directory/api-key/api-key.ts';
import { OperatorAccessKeys } from '../../../src/directory/operator/access-key.ts';
import { OperatorPeople } from '../../../src/directory/operator/person.ts';
import { hostedFiles } from '../../../src/directory/hosted-file/hosted-file.ts';
import { joinRequests } from '../../../src/directory/join-request/join-request.ts';
import { memberships } from '../../../src/directory/membership/membership.ts';
import { organizationDomains } from '../../../src/directory/organization/organization-domain.ts';
import { authorizations } from '../../../src/directory/authorization/authorization.ts';
import { propertyIdentifiers } from '../../../src/directory/publisher/property-identifier.ts';
import { propertyPages } from '../../../src/directory/publisher/property-page.ts';
import { portalLinks } from '../../../src/directory/portal-link/portal-link.ts';
import { publishers } from '../../../src/directory/publisher/publisher.ts';
import { publisherWatches } from '../../../src/directory/publisher-watch/publisher-watch.ts';
import { organizations } from '../../../src/directory/organization/organization.ts';
import { eventsOf, feedEvents } from '../../../src/directory/feed/feed-event.ts';
import { scheduledChecks } from '../../../src/directory/scheduled-check/scheduled-check.ts';
import { sellerPages } from '../../../src/directory/seller/seller-page.ts';
import { grants } from '../../../src/oauth/grant/grant.ts';
import type { CollectionSpec, Query, Row } from '../../../src/platform/store/collection.ts';
import { searchHints } from '../../../src/directory/search/search-entry.ts';
import { StatSpans } from '../../../src/platform/stats/stat-span.ts';
import { SetAsideRows } from '../../../src/platform/store/set-aside.ts';
import { BuySchedules } from '../../../src/reporting/schedule.ts';
import { TaskState } from '../../../src/runtime/states.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { Accounts } from '../../../src/sales/account/account.ts';
import { AdOrderRows } from '../../../src/sales/ad-order/ad-order-row.ts';
import { ForcedArmRows } from '../../../src/sales/fixture/forced-arm-row.ts';
import { Approvals } from '../../../src/sales/approval/approval.ts';
import { Creatives } from '../../../src/sales/creative/creative.ts';
import { DeliveryDays } from '../../../src/sales/delivery/delivery-facts.ts';
import { FlightRows } from '../../../src/sales/flight/flight.ts';
import { Impairments } from '../../../src/sales/impairment/impairment.ts';
import { MediaBuyStatus } from '../../../src/sales/media-buy/media-buy.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { PerformanceFeedbacks } from '../../../src/sales/performance-feedback/performance-feedback.ts';
import { ReceiverAnswers } from '../../../src/webhooks/answers/receiver-answer.ts';
import { BuyerRanges } from '../../../src/webhooks/buyer/resend-range.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { deliveriesMeant } from '../../../src/webhooks/delivery/delivery-filter.ts';
import type { DeliveryFilter } from '../../../src/webhooks/delivery/delivery-filter.ts';
import { Troubles } from '../../../src/webhooks/troubles/trouble.ts';

/** A query as some part of the product asks it, and the collection it asks. */
export interface QueryShape {
  spec: CollectionSpec<Row>;
  query: Query<Row>;
  /** What a page is sorted from, where no index has its order: something that stays small. */
  sorts?: string;
  /** What a page passes over, where the index it is read by leaves conditions open. */
  passes?: string;
  /** The partial index that it is read by, where others would do that hold far more. */
  by?: string;
}

const up = (field: string) => ({ field, direction: 'asc' }) as const;
const down = (field: string) => ({ field, direction: 'desc' }) as const;
const owed = { gt: '', lte: '2026' };
const since = { gte: '2026' };
const org = { organization_id: 'org' };
const open = { in: ['pending', 'asked'] };

/** What is asked of collections that grow with use, by who asks. */
export const SHAPES: QueryShape[] = [
  // Lists of a buyer's tasks, with each filter that there is.
  ...[
    { is_read: null },
    { is_read: null, updated_at: since },
    { is_read: null, state: 'failed' },
    { is_read: null, state: 'failed', updated_at: since },
    { context_id: 'c' },
    {},
  ].map((where) => of(TaskRuns, { ...org, ...where }, down('updated_at'))),
  ...[
    { context_id: 'c', state: 'failed', updated_at: since },
    { state: 'failed' },
    { task_type: 'create_media_buy', state: 'working' },
  ].map((where) => ({
    ...of(TaskRuns, { ...org, ...where }, down('updated_at')),
    passes: 'tasks of another state or type, by what the index holds',
  })),
  ...[
    { is_read: null },
    { is_read: null, created_at: since },
    { is_read: null, state: 'failed' },
    { is_read: null, state: { in: ['submitted', 'working'] } },
    { is_read: null, state: { in: ['submitted', 'working'] }, created_at: since },
  ].map((where) => of(TaskRuns, { ...org, ...where }, down('created_at'))),
  of(TaskRuns, { ...org, is_read: null }, up('created_at')),
  of(TaskRuns, { ...org, is_read: { in: [null, true] }, state: 'rejected' }, down('created_at')),
  of(TaskRuns, { ...org, is_read: null, state: { in: ['submitted', 'working'] } }, down('updated_at')),
  ...[
    of(TaskRuns, { ...org, is_read: { in: [null, true] }, task_type: 't' }, down('created_at')),
    of(TaskRuns, { ...org, is_read: { in: [null, true] }, state: 'failed', task_type: 't' }, down('created_at')),
    of(TaskRuns, { ...org, is_read: null, updated_at: since }, down('created_at')),
    of(TaskRuns, { ...org, is_read: null, created_at: since }, down('updated_at')),
  ].map((shape) => ({ ...shape, passes: 'tasks of another type or time, by what the index holds' })),
  of(TaskRuns, { is_read: null, state: 'failed' }, down('updated_at')),
  {
    ...of(TaskRuns, { is_read: null, state: { in: TaskState.options }, task_type: 't' }, down('updated_at')),
    passes: 'tasks of another type, by what the index holds',
  },
  {
    ...of(TaskRuns, { ...org, is_read: null, state: { in: TaskState.options }, task_type: 't' }, down('updated_at')),
    passes: 'tasks of another type, by what the index holds',
  },
  of(TaskRuns, { is_read: null, state: { in: TaskState.options } }, down('updated_at')),
  of(TaskRuns, { ...org, is_read: null, state: { in: TaskState.options } }, down('updated_at')),
  // Those that had faults: a small index of its own, whatever there is besides.
  ...([{}, org] as const).flatMap((whose) => {
    const faulty = { ...whose, has_faults: true, is_read: null };
    const by = 'organization_id' in whose ? 'by_faults' : 'by_faults_of_all';
    return [
      { ...of(TaskRuns, { ...faulty, state: 'failed' }, down('updated_at')), by },
      { ...of(TaskRuns, { ...faulty, state: { in: TaskState.options } }, down('updated_at')), by },
      {
        ...of(TaskRuns, { ...faulty, state: 'failed', task_type: 't' }, down('updated_at')),
        ...{ passes: 'tasks of another type, by what the index holds', by },
      },
    ];
  }),
  of(TaskRuns, { ...org, message_key: 'm' }),
  of(TaskRuns, { ...org, idempotency_key: 'k', idempotency_live: true }),
  of(TaskRuns, { ...org, exclusive_key: 'k', exclusive_live: true }),
  of(TaskRuns, { run_due_at: owed }, up('run_due_at')),
  of(TaskRuns, { notify_due_at: owed }, up('notify_due_at')),

  of(Deliveries, { next_attempt_at: owed }, up('next_attempt_at')),
  of(Deliveries, { target: 't', next_attempt_at: owed }, up('next_attempt_at')),
  of(Deliveries, org, down('created_at')),
  of(Deliveries, { ...org, state: 'pending' }, down('created_at')),
  { ...of(Deliveries, { ...org, task_id: 't' }, down('sequence')), passes: 'nothing: a task has one organization' },
  of(Deliveries, { ...org, subject_id: 'mb' }, down('created_at')),
  {
    ...of(
      Deliveries,
      { ...org, state: 'pending', destination: 'd', created_at: { gte: '2025', lt: '2026' } },
      up('created_at'),
    ),
    passes: 'nothing is read of what went elsewhere: the index holds the destination',
  },
  of(Deliveries, deliveriesMeant({ ...org, subject_id: 'mb', from: '2025' } as DeliveryFilter), down('created_at')),
  of(Deliveries, deliveriesMeant({ destination: 'd', from: '2025' }), down('created_at')),
  ...[
    { by: 'by_answer' },
    { by: 'by_answer_to_organization', ...org },
    { by: 'by_answer_of_destination', destination: 'd' },
  ].flatMap(({ by, ...whose }) =>
    [{}, { state: 'pending' }, { until: '2026' }].map((more) => ({
      ...of(Deliveries, deliveriesMeant({ ...whose, ...more, answer: '5xx' } as DeliveryFilter), down('created_at')),
      by,
    })),
  ),
  of(Deliveries, deliveriesMeant({ answer: '2xx' }), down('created_at')),
  of(ReceiverAnswers, { destination: 'd' }, down('answered_at')),
  of(BuyerRanges, { due_at: owed }),
  of(BuyerRanges, org, down('asked_at')),
  ...[up, down].flatMap((order) =>
    [
      { state: 'pending' },
      { destination: 'd', state: 'pending' },
      { state: 'exhausted', created_at: { gte: '2025', lt: '2026' } },
      { organization_id: 'org' },
      { organization_id: 'org', state: 'pending' },
    ].map((where) => of(Deliveries, where, order('created_at'))),
  ),
  of(Troubles, { is_due: true }),

  of(MediaBuys, {}, down('created_at')),
  of(MediaBuys, { status: 'active' }, down('created_at')),
  of(MediaBuys, { buyer_ref: 'ref' }, down('created_at')),
  // By when a flight begins.
  of(MediaBuys, { status: 'active', start_time: { gte: '2026', lt: '2027' } }, down('start_time')),
  of(MediaBuys, { status: { in: MediaBuyStatus.options }, start_time: since }, down('start_time')),
  // Money by day.
  of(MediaBuys, { created_at: { gte: '2026', lt: '2027' } }),
  of(MediaBuys, { updated_at: since }),
  of(DeliveryDays, { day: '2026-04-01' }, down('changed_at')),
  of(MediaBuys, org, down('created_at')),
  of(MediaBuys, org, up('created_at')),
  of(MediaBuys, { ...org, status: { in: ['active', 'paused', 'pending'] } }, down('created_at')),
  of(MediaBuys, { ...org, account_id: 'a' }, down('created_at')),
  of(MediaBuys, { ...org, account_id: 'a', status: { in: ['active', 'paused'] } }, down('created_at')),
  of(MediaBuys, { ...org, buyer_ref: { in: ['a', 'b'] } }, down('created_at')),
  {
    ...of(MediaBuys, { ...org, account_id: 'a', buyer_ref: { in: ['a'] } }, down('created_at')),
    passes: 'buys of the same buyer_ref, or of the same account',
  },
  {
    ...of(MediaBuys, { ...org, buyer_ref: { in: ['a'] }, status: { in: ['active', 'paused'] } }, down('created_at')),
    passes: 'buys of the same buyer_ref',
  },
  of(MediaBuys, { ...org, buyer_ref: 'a', open: true }),
  { ...of(MediaBuys, { order_urgency: { gte: 0 } }, up('order_urgency')), sorts: 'orders that wait for the ad server' },
  of(MediaBuys, { order_due_at: owed }, up('order_due_at')),
  of(MediaBuys, { order_due_at: owed }),
  of(MediaBuys, { order_due_at: { gt: '2026' } }),
  of(MediaBuys, { order_urgency: 1, order_due_at: owed }),
  { ...of(MediaBuys, { ...org, open: true }, up('buyer_ref')), sorts: 'the buys of one buyer_ref' },
  of(MediaBuys, { order_urgency: 1, order_due_at: owed }, up('order_due_at')),

  // A buyer's libraries: the shared one, what an account sees, and all.
  ...[{ account_id: null }, { account_id: { in: ['acc', null] } }, {}].flatMap((account) => [
    of(Creatives, { ...org, ...account, status: { in: ['approved', 'rejected'] } }, down('created_at')),
    of(
      Creatives,
      { ...org, ...account, status: { in: ['approved'] }, created_at: { gt: '2026', lt: '2027' } },
      down('created_at'),
    ),
    ...(['updated_at', 'name'] as const).flatMap((field) => [
      of(Creatives, { ...org, ...account, status: { in: ['approved', 'rejected'] } }, down(field)),
      of(Creatives, { ...org, ...account, status: { in: ['approved', 'rejected'] } }, up(field)),
    ]),
    of(
      Creatives,
      { ...org, ...account, status: { in: ['approved'] }, updated_at: { gt: '2026', lt: '2027' } },
      down('updated_at'),
    ),
  ]),
  of(Creatives, { ...org, creative_id: { in: ['a', 'b'] } }, up('created_at')),
  {
    ...of(Creatives, { ...org, creative_id: { in: ['a', 'b'] }, status: { in: ['approved'] } }, down('created_at')),
    passes: 'creatives of the same id in other states, or of other ids in these',
  },
  of(Creatives, { status: { in: ['processing', 'pending_review'] } }, up('created_at')),
  of(Creatives, { format: 'f', status: { in: ['processing', 'pending_review'] } }, up('created_at')),
  of(Creatives, { review_due_at: owed }, up('review_due_at')),
  of(Creatives, { effects_due_at: owed }, up('effects_due_at')),
  of(Creatives, { untold_since: { gt: '' } }, up('untold_since')),
  of(Accounts, { created_at: { gt: '' } }, down('created_at')),
  of(Accounts, { status: 'active' }, down('created_at')),
  of(Accounts, org, down('created_at')),
  of(Accounts, { ...org, status: 'active' }, down('created_at')),
  of(Accounts, { untold_since: { gt: '' } }, up('untold_since')),
  of(Accounts, { ...org, is_heard: true }, up('created_at')),
  of(PerformanceFeedbacks, org, down('created_at')),
  of(PerformanceFeedbacks, { media_buy_id: 'buy' }, down('created_at')),
  of(PerformanceFeedbacks, { created_at: { gt: '' } }, down('created_at')),
  of(ForcedArmRows, { ...org, taken_by: 'key', account_id: 'a' }),
  of(Approvals, {}, up('requested_at')),
  of(Approvals, { status: open }, up('requested_at')),
  of(Approvals, { media_buy_id: 'mb', status: open }),
  of(Approvals, { wake_due_at: owed }, up('wake_due_at')),
  of(FlightRows, { due_at: owed }, up('due_at')),
  of(BuySchedules, { due_at: owed }, up('due_at')),
  of(BuySchedules, { due_at: { gt: '2026' } }, up('due_at')),
  of(Impairments, { media_buy_id: { in: ['a', 'b'] }, open: true }, up('resource_id')),
  { ...of(Impairments, { media_buy_id: 'mb', open: true }), sorts: 'what impairs one buy' },
  of(Impairments, { open: true }, up('raised_at')),
  of(Impairments, { untold_since: owed }),
  of(DeliveryDays, { media_buy_id: 'mb', corrected_at: { gt: '' } }),
  of(AdOrderRows, { look_due_at: owed }, up('look_due_at')),
  of(AdOrderRows, { look_due_at: { gt: '2026' } }),
  of(AdOrderRows, { drift_since: { gt: '' } }, up('drift_since')),
  of(AdOrderRecords, { created_at: { gt: '' } }),
  of(StatedDays, { media_buy_id: 'mb', since: owed }),
  of(UploadedCreatives, { creative_id: 'c' }),
  ...['acc', null].map((account_id) => of(Creatives, { ...org, account_id }, up('created_at'))),

  of(organizations, { state: 'active' }, down('created_at')),
  of(memberships, org, up('created_at')),
  of(memberships, { ...org, role: 'owner' }, up('created_at')),
  of(apiKeys, { ...org, made_by: 'u', revoked_at: null }),
  of(joinRequests, { user_id: 'user' }, down('created_at')),
  of(joinRequests, { status: 'pending' }, up('created_at')),
  of(joinRequests, org, down('created_at')),
  of(organizationDomains, org, up('created_at')),
  of(organizations, { suspended_at: { gt: '' } }, down('suspended_at')),
  of(organizations, { name: { gte: 'a', lt: 'b' } }),
  of(apiKeys, org, down('created_at')),
  of(apiKeys, { key_hash: 'h' }),
  of(grants, { created_at: since }, down('created_at')),
  of(grants, { created_at: since, subject: 's' }, down('created_at')),
  ...[
    {},
    eventsOf.subject('s'),
    { is_overtaken: null },
    { subject: 's', is_overtaken: null },
    { type: { in: ['agent.added', 'agent.removed'] } },
    eventsOf.publisher('p.example'),
    { publisher_domain: 'p.example', type: { in: ['agent.added', 'agent.removed'] } },
  ].map((where) => of(feedEvents, { ...where, sequence: { gt: 1 } }, up('sequence'))),
  of(feedEvents, { is_overtaken: null, sequence: { gt: 1, lte: 9 } }, up('sequence')),
  of(feedEvents, { subject: 's', is_overtaken: null, sequence: { gt: 0 } }, down('sequence')),
  of(feedEvents, { ...eventsOf.subject('s'), sequence: { lt: 9 } }, up('sequence')),
  // A publisher's history, and its own revisions.
  of(feedEvents, eventsOf.publisher('p.example'), down('sequence')),
  of(feedEvents, eventsOf.subject('s'), down('sequence')),
  // Webhooks of publishers: what is due, whom a crawl concerns, and an organization's.
  of(publisherWatches, { look_at: { lte: '2026' } }, up('look_at')),
  of(publisherWatches, { publisher_domain: 'p.example', look_at: since }, up('look_at')),
  of(publisherWatches, { manager_domain: 'p.example', look_at: since }, up('look_at')),
  of(publisherWatches, org, up('created_at')),
  of(agentChecks, { agent_url: 'u', checked_at: since }, down('checked_at')),
  of(agentChecks, { agent_url: 'u' }, down('checked_at')),
  of(agentChecks, { agent_url: 'u' }, up('checked_at')),
  ...[true, null].map((is_asked) => of(agentChecks, { agent_url: 'u', is_asked }, down('checked_at'))),
  of(scheduledChecks, { kind: 'adagents', lane: null, due_at: { lte: '2026' } }, up('due_at')),
  of(scheduledChecks, { kind: 'adagents', failing_since: { gt: '' } }, up('failing_since')),
  of(scheduledChecks, { kind: 'adagents', lane: 'slow', due_at: { lte: '2026' } }, up('due_at')),
  {
    ...of(authorizations, { is_exclusive: true, publisher_domain: { in: ['a', 'b'] } }),
    sorts: 'those of 40 publishers',
  },
  { ...of(publishers, { manager_domain: { in: ['a', 'b'] } }), sorts: 'the publishers of one manager' },
  of(publishers, { publisher_domain: { gte: 'a', lt: 'a~' } }, up('publisher_domain')),
  of(publishers, { publisher_domain: { gt: 'a', lt: 'a~' } }, up('publisher_domain')),
  { ...of(agents, { url: { gt: 'a' } }, up('url')), sorts: 'the agents of one URL, of which there is one' },
  // Brands by domain, from a beginning and behind one, and by name.
  of(registryBrands, { is_listed: true, domain: { gte: 'a', lt: 'a~' } }, up('domain')),
  of(registryBrands, { is_listed: true, domain: { gt: 'a', lt: 'a~' } }, up('domain')),
  of(brandNames, { name: { gte: 'a', lt: 'b' } }, up('name')),
  // What agents and publishers are found by: a term, and what begins so; and rows that are not yet found by what they say.
  of(searchHints, { list: 'publisher', term: 'channel:ctv' }),
  of(searchHints, { list: 'publisher', term: { gte: 'word:a', lt: 'word:b' } }),
  ...[null, '1'].flatMap((indexed_as) => [of(agents, { indexed_as }), of(publishers, { indexed_as })]),
  of(propertyPages, { publisher_domain: 'a', list_id: { lt: 'l' } }),
  of(propertyPages, { publisher_domain: 'a', list_id: { gt: 'l' } }),
  of(propertyIdentifiers, { publisher_domain: 'a', list_id: { lt: 'l' } }),
  of(propertyIdentifiers, { publisher_domain: 'a', list_id: { gt: 'l' } }),
  of(sellerPages, { file_id: 'a', list_id: { lt: 'l' } }),
  of(sellerPages, { file_id: 'a', list_id: { gt: 'l' } }),
  of(propertyIdentifiers, { identifier: 'a' }, up('publisher_domain')),
  ...[{}, { type: 'sales' }].map((where) => of(agents, { visibility: 'public', ...where }, up('url'))),
  of(publishers, { publisher_domain: { gt: '' } }),
  // Exports go on behind a key.
  of(agents, { visibility: 'public', url: { gt: 'a' } }, up('url')),
  of(publishers, { publisher_domain: { gt: 'a' } }, up('publisher_domain')),
  of(authorizations, { authorization_id: { gt: 'a' } }, up('authorization_id')),
  of(publishers, { source: 'hosted' }),
  of(authorizations, { agent_url: 'a', publisher_domain: { gt: 'p' } }),
  of(consoleSessions, { created_at: since }, down('created_at')),
  of(consoleSessions, { person_id: 'p' }, down('created_at')),
  of(OperatorActions, {}, down('at')),
  of(OperatorActions, { by: 'b' }, down('at')),
  of(OperatorActions, { target: 't' }, down('at')),
  of(OperatorActions, { action: 'a' }, down('at')),
  of(OperatorActions, { at: since }, down('at')),
  of(OperatorActions, { by: 'b', at: since }, down('at')),
  of(OperatorPeople, { created_at: since }, down('created_at')),
  of(OperatorAccessKeys, { person_id: 'p' }, down('created_at')),
  of(ResendRanges, { worked_at: owed }),
  of(portalSessions, org, up('created_at')),
  of(portalLinks, { token_hash: 'h' }),
  of(portalLinks, { ...org, created_at: since }),
  of(SetAsideRows, {}, down('noted_at')),
  of(StatSpans, { span: 'hour' }, down('at')),
  of(StatSpans, { span: 'minute', at: { gte: '2026', lt: '2027' } }, up('at')),
];

/** What is counted. */
export const COUNTS: QueryShape[] = [
  of(TaskRuns, { ...org, is_unbegun: true }),
  ...[
    { is_read: null },
    { is_read: null, updated_at: since },
    { is_read: null, state: 'failed' },
    { is_read: null, state: { in: ['submitted', 'working'] }, task_type: { in: ['a', 'b'] } },
    { is_read: null, created_at: since },
    { is_read: null, state: 'failed', created_at: since, updated_at: since },
    { task_type: { in: ['a', 'b'] }, created_at: since },
    { context_id: 'c' },
    { context_id: 'c', state: 'failed', updated_at: since },
    { task_type: 'create_media_buy', state: 'working' },
  ].map((where) => of(TaskRuns, { ...org, ...where })),
  of(agents, { visibility: 'public' }),
  of(agents, { visibility: 'public', type: 'sales' }),
  of(searchHints, { list: 'publisher', term: 'channel:ctv' }),
  of(searchHints, { list: 'publisher', term: { gte: 'word:a', lt: 'word:b' } }),
  of(publishers, { source: 'hosted' }),
  of(hostedFiles, { ...org, ended_at: null }),
  of(Deliveries, { state: 'pending' }),
  of(Deliveries, { ...org, state: 'exhausted', created_at: { gte: '2025', lt: '2026' } }),
  of(Deliveries, { ...org, state: 'exhausted', destination: 'd', created_at: { lt: '2026' } }),
  of(BuyerRanges, { ...org, due_at: { gt: '' } }),
  of(MediaBuys, { order_urgency: { gte: 0 } }),
  of(MediaBuys, { status: 'active' }),
  of(MediaBuys, { ...org, status: 'active' }),
  of(Approvals, { status: open }),
  of(Creatives, { status: open }),
  of(AdOrderRows, { look_due_at: { gt: '' } }),
  of(registryBrands, { is_listed: true, domain: { gte: 'a', lt: 'a~' } }),
];

function of<R extends Row>(spec: CollectionSpec<R>, where: Query<Row>['where'] | object, sort?: object): QueryShape {
  const query = { where, ...(sort !== undefined && { sort }) } as Query<Row>;
  return { spec: spec as unknown as CollectionSpec<Row>, query };
}
