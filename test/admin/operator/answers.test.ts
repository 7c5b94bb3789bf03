import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openAccount } from '../../../src/sales/account/account.ts';
import { OperatorActions } from '../../../src/admin/operator/actions/action.ts';
import { operation } from '../../../src/admin/operator/operation.ts';
import { operations } from '../../../src/admin/operator/operations.ts';
import { agents } from '../../../src/directory/agent/agent.ts';
import { joinRequests } from '../../../src/directory/join-request/join-request.ts';
import { publishers } from '../../../src/directory/publisher/publisher.ts';
import { checkId, noteCheck, scheduleCheck } from '../../../src/directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import { grants } from '../../../src/oauth/grant/grant.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { mediaBuyInput, send, taskOf } from '../../journeys/support/buyer.ts';
import { actingAs, answered, approvalOf, operate } from '../../journeys/support/operator.ts';
import type { Listed } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleCreative } from '../../sales/support/sample-creative.ts';
import { withKeysOfANewerRelease } from '../../support/grown-rows.ts';
import { until } from '../../support/until.ts';
import { openReceiver, status } from '../../webhooks/support/open-receiver.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { followLink } from '../support/follow-link.ts';
import { sampleGrant } from '../support/sample-grant.ts';
import { cutOffAdServer, insertWaitingBuy } from '../support/waiting-order.ts';

type Json = Record<string, unknown>;

it('an operation that does not say what it answers, or answers otherwise, does not compile', () => {
  const spec = { method: 'get', path: '/nothing', summary: 'Show nothing.', role: 'viewer' } as const;
  // @ts-expect-error it does not say
  const silent = operation({ ...spec, handle: () => Promise.resolve({}) });
  // @ts-expect-error it answers a number
  const other = operation({ ...spec, answer: z.object({ a: z.string() }), handle: () => Promise.resolve({ a: 1 }) });
  const { summary: _summary, ...wordless } = { ...spec, answer: z.object({}), handle: () => Promise.resolve({}) };
  // @ts-expect-error it does not say what it does
  const nameless = operation(wordless);
  const { role: _role, ...rolesLess } = { ...wordless, summary: 'Show nothing.' };
  // @ts-expect-error it does not say who may
  const open = operation(rolesLess);
  const deed = { ...spec, method: 'post', action: 'nothing.do', answer: z.object({}) } as const;
  // @ts-expect-error it does not say that it is done
  const unsaid = operation({ ...deed, handle: () => Promise.resolve({}) });
  // @ts-expect-error it says so by what it does not answer
  const otherwise = operation({ ...deed, done: ({ a }) => a, handle: () => Promise.resolve({}) });
  for (const { path } of [silent, other, nameless, open, unsaid, otherwise]) expect(path).toBe('/nothing');
});

describe('what the operator API answers, of rows that a newer release wrote too', () => {
  let agent: TestAgent;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver(status(404));
    agent = await startTestAgent('sqlite', {
      env: { APPROVAL_OVER_USD: '100' },
      wrapStore: withKeysOfANewerRelease,
    });
  });
  afterAll(async () => {
    await agent.stop();
    await receiver.close();
  });

  const get = async (path: string): Promise<Json> => {
    const answer = await operate(agent, 'GET', path);
    expect(answer, path).toMatchObject({ status: 200 });
    return answer.body;
  };
  /** Does it, twice under one key of the click, as whoever sends a form again does: on record it stands once. */
  const act = async (path: string, body: Json = {}): Promise<Json> => {
    const click = { 'idempotency-key': randomUUID() };
    const answer = await operate(agent, 'POST', path, body, click);
    expect(answer, path).toMatchObject({ status: 200 });
    const done = await onRecord();
    const again = await operate(agent, 'POST', path, body, click);
    // A secret is answered no second time.
    expect([path, again.status < 500, await onRecord()]).toEqual([path, true, done]);
    if (again.status !== 409) expect(again, path).toMatchObject({ status: 200 });
    return answer.body;
  };
  const onRecord = () => agent.core.store.collection(OperatorActions).count({});
  const waiting = async (): Promise<Listed> => {
    const push_notification_config = { url: receiver.url(), operation_id: 'op-1' };
    const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, { push_notification_config })));
    return approvalOf(agent, id);
  };

  /** Every operation about who may. */
  async function expectAccess(organization_id: string): Promise<void> {
    const { person_id } = await act('/people/invite', { name: 'Ann', role: 'viewer', email: 'ann@seller.example' });
    const { sign_in_url } = await act('/sign-in-links/create', { person_id });
    expect((await followLink(String(sign_in_url))).status).toBe(303);
    const { sessions } = await get(`/sessions?person_id=${String(person_id)}`);
    const [{ session_id, name }] = sessions as [{ session_id: string; name: string }];
    expect(name).toBe('Ann');
    await act(`/sessions/${session_id}/end`);
    await act('/sessions/end', { person_id });
    const { operator_key_id } = await act('/operator-keys/add', {
      name: 'laptop',
      role: 'viewer',
      person_id,
      days: 30,
    });
    await get('/operator-keys');
    await act(`/operator-keys/${String(operator_key_id)}/revoke`, { reason: 'lost' });
    expect(await act(`/people/${String(person_id)}/role`, { role: 'operator' })).toMatchObject({
      former_role: 'viewer',
    });
    const { actions } = await get(`/actions?target=${encodeURIComponent(`/people/${String(person_id)}`)}`);
    expect(actions).toMatchObject([
      { input: { role: 'operator' }, answer: { former_role: 'viewer', role: 'operator' } },
    ]);
    await act(`/people/${String(person_id)}/remove`, { reason: 'has left' });
    await get('/people');
    await get(`/people/${String(person_id)}`);
    const ben = await actingAs(agent, 'Ben', 'viewer');
    expect(await operate(agent, 'POST', '/me/sessions/end', {}, ben)).toMatchObject({ status: 200 });

    const buyer = `/buyers/${organization_id}`;
    const { api_key_id } = await act(`${buyer}/keys/add`, { name: 'spare', scopes: ['tasks:read'] });
    await act(`${buyer}/keys/${String(api_key_id)}/reroll`, { overlap_days: 1 });
    await get(`${buyer}/keys`);
    await get(`${buyer}/people`);
    await get(`${buyer}/refusals`);
    await act(`${buyer}/portal-links/create`);
    await act(`${buyer}/portal-sessions/end`, { reason: 'a drill' });
    await act(`${buyer}/keys/${String(api_key_id)}/revoke`, { reason: 'a drill' });
    await act(`${buyer}/suspend`, { reason: 'a drill', webhooks: 'stop' });
    const newcomer = (await act('/buyers/add', { name: 'Newcomer' }))['organization_id'];
    const domain = { organization_id: newcomer, domain: 'newcomer.example', reason: 'a drill' };
    await act('/registry/domains/assign', domain);
    await get('/registry/domains?domain=newcomer.example');
    await act('/registry/domains/release', domain);
    await get('/buyers');
    const key = { brand_domain: 'acme.example', brand_id: null, operator: 'acme.example', sandbox: false };
    const { account_id } = await openAccount(agent.core.sales, organizationId(organization_id), key);
    await get('/performance-feedback');
    await get('/buyer-accounts');
    await get(`/media-buys?organization_id=${organization_id}&account_id=${account_id}`);
    await get(`/buyer-accounts/${account_id}`);
    await act(`/buyer-accounts/${account_id}/move`, { status: 'suspended', reason: 'a drill' });
    await get(buyer);
    await act(`${buyer}/restore`);
    const row = { ...sampleGrant, organization_id: organizationId(organization_id) };
    await agent.core.store.collection(grants).insert(row);
    await get(`/grants?subject=${row.subject}`);
    await act(`/grants/${row.grant_id}/end`, { reason: 'a drill' });
    await act(`/accounts/${row.subject}/end`, { reason: 'a drill' });
  }

  /** Every operation about publishers and agents. */
  async function expectRegistry(): Promise<void> {
    const { clock, store } = agent.core;
    const [publisher_domain, nowMs] = ['gazette.example', clock.now()];
    const at = toTimestamp(nowMs);
    await store.collection(publishers).insert({
      ...{ publisher_domain, source: 'adagents_json', verified: true, properties: [] },
      ...{ created_at: at, updated_at: at, revision: 1 },
    });
    await scheduleCheck({ clock, store }, 'adagents', publisher_domain);
    const failed = { startedAt: nowMs, tookMs: 1, error: 'its host is not found' };
    await noteCheck({ clock, store }, checkId('adagents', publisher_domain), failed);
    await get('/registry/publishers');
    await get('/registry/publishers?state=adagents_json');
    await get(`/registry/publishers/${publisher_domain}`);
    await act(`/registry/publishers/${publisher_domain}/crawl`);
    await store.collection(agents).insert({
      ...{ agent_id: 'ag_studio', url: 'https://studio.acme.example', organization_id: organizationId('org_acme') },
      ...{ name: 'Studio', type: 'creative', visibility: 'public', created_at: at, updated_at: at, revision: 1 },
    });
    await get('/registry/agents');
    await get('/registry/agents/ag_studio');
    await act('/registry/agents/ag_studio/check');
    await act('/registry/blocked-domains/pixels.example/block', { domain_type: 'tracker', reason: 'a drill' });
    await get('/registry/blocked-domains');
    await act('/registry/blocked-domains/pixels.example/unblock', { reason: 'a drill' });
    for (const [i, decision] of (['approve', 'reject'] as const).entries()) {
      await store.collection(joinRequests).insert({
        ...{ join_request_id: `jr_${i}`, organization_id: organizationId('org_demo_buyer'), user_id: `u_${i}` },
        ...{ email: 'pat@acme.example', status: 'pending', pending_for: `u_${i}`, role: null },
        ...{ created_at: at, decided_at: null, decided_by: null, revision: 1 },
      });
      await get('/registry/join-requests');
      const body = { reason: 'a drill', ...(decision === 'approve' && { role: 'member' }) };
      await act(`/registry/join-requests/jr_${i}/${decision}`, body);
    }
  }

  // `operate` holds every answer against its operation's schema.
  it('is what each operation says it answers, and nothing more', async () => {
    const [first, second, third] = [await waiting(), await waiting(), await waiting()];
    await act(`/approvals/${first.approval_id}/approve`, { note: 'go' });
    await act(`/approvals/${second.approval_id}/reject`, { reason: 'no' });
    await act(`/approvals/${third.approval_id}/ask`, { question: 'Which page?' });
    for (const { approval_id } of [first, second, third]) await get(`/approvals/${approval_id}`);
    await get('/approvals?status=all&limit=2');
    await get('/overview');
    await get('/stats?range=week');
    const { products } = await get('/catalog/products?limit=1');
    await get(`/catalog/products/${(products as [{ product_id: string }])[0].product_id}`);
    await get(`/search?q=${first.media_buy_id}`);
    await get(`/media-buys/${first.media_buy_id}`);
    await get('/media-buys?status=pending');
    await get(`/tasks/${first.task_id}`);
    await get('/tasks?state=input-required');

    const { task_id } = first;
    const delivery_id = await until(async () => {
      const { deliveries } = await get(`/webhooks/deliveries?task_id=${task_id}&state=rejected`);
      return (deliveries as { delivery_id: string }[])[0]?.delivery_id;
    });
    await get(`/webhooks/deliveries/${delivery_id}`);
    await get(`/webhooks/deliveries/${delivery_id}/body`);
    receiver.answer = status(204);
    const owed = { state: 'pending' as const, next_attempt_at: toTimestamp(agent.core.clock.now() + 3_600_000) };
    await agent.core.store.collection(Deliveries).update(delivery_id, (row) => ({ ...row, ...owed }));
    await act(`/webhooks/deliveries/${delivery_id}/attempt`);
    await act(`/webhooks/deliveries/${delivery_id}/resend`);
    await get(`/webhooks/range-count?task_id=${task_id}&state=rejected`);
    const { range_id } = await act('/webhooks/ranges/resend', { task_id, state: 'rejected' });
    await get(`/webhooks/ranges/${String(range_id)}`);
    const destination = encodeURIComponent(receiver.url());
    // Who has taken one is asked as often as there is something to ask.
    await until(async () => (await get(`/webhooks/destinations/${destination}`))['is_known'] === true);
    const { registrations } = await get(`/webhooks/registrations?task_id=${task_id}`);
    const [{ registration_id }] = registrations as [{ registration_id: string }];
    await act(`/webhooks/registrations/${task_id}/${registration_id}/test`);
    await act(`/webhooks/destinations/${destination}/pause`, { reason: 'maintenance' });
    await get('/webhooks/destinations');
    await get(`/webhooks/destinations/${destination}`);
    await act(`/webhooks/destinations/${destination}/resume`);
    await act(`/webhooks/registrations/${task_id}/${registration_id}/end`);

    const { buyer } = await get(`/approvals/${first.approval_id}`);
    const organization_id = organizationId((buyer as { organization_id: string }).organization_id);
    expect(await get(`/buyers/${organization_id}/standing`)).toMatchObject({ is_all_summed: true });
    await act(`/buyers/${organization_id}/limits`, { credit: 'USD:9', approval_over: 'none' });
    expect(await get(`/buyers/${organization_id}/limits`)).toMatchObject({ credit_in_use: [{ left: 0 }] });
    await act(`/buyers/${organization_id}/limits`, { credit: 'none' });
    for (const creative_id of ['banner', 'other']) {
      const row = sampleCreative({ organization_id, creative_id, status: 'pending_review', review_due_at: null });
      await agent.core.sales.creatives.insert({ ...row, creative_key: creativeKey(organization_id, creative_id) });
    }
    await agent.core.sales.mediaBuys.update(first.media_buy_id, (row) => ({
      ...row,
      packages: row.packages.map((line) => ({ ...line, creative_ids: ['banner'] })),
    }));
    await get('/creatives');
    await act(`/creatives/${organization_id}/banner/approve`);
    await act(`/creatives/${organization_id}/banner/suspend`, { reason: 'a complaint', reason_code: 'fraud' });
    await act(`/creatives/${organization_id}/banner/restore`);
    await act(`/creatives/${organization_id}/other/reject`, { reason: 'no' });
    expect(await get(`/creatives/${organization_id}/banner`)).toMatchObject({
      history: expect.arrayContaining([expect.objectContaining({ action: 'decided' })]) as unknown,
      used_by: [{ media_buy_id: first.media_buy_id }, { media_buy_id: first.media_buy_id }],
    });

    await act(`/media-buys/${first.media_buy_id}/report`);
    await act(`/media-buys/${first.media_buy_id}/hold`, { reason: 'a drill' });
    await act(`/media-buys/${first.media_buy_id}/release`);
    await act('/media-buys/hold', { media_buy_ids: [first.media_buy_id, 'mb_unknown'], reason: 'a drill' });
    await act('/media-buys/release', { media_buy_ids: [first.media_buy_id] });
    await act(`/media-buys/${first.media_buy_id}/cancel`, { reason: 'a drill', confirm: first.media_buy_id });
    const run_due_at = '2999-01-01T00:00:00.000Z';
    await agent.core.store.collection(TaskRuns).update(third.task_id, (row) => ({ ...row, run_due_at }));
    await act(`/tasks/${third.task_id}/nudge`);
    await act(`/tasks/${third.task_id}/cancel`, { reason: 'a drill' });

    const held = { media_buy_id: mediaBuyId('mb_held'), task_id: taskId('task_held') };
    await insertWaitingBuy(agent.core, held);
    await act('/orders/mb_held/look');
    await agent.core.sales.courier.tell(held.media_buy_id, { inHand: true });
    await act('/orders/mb_held/push');
    await agent.core.sales.adOrders.update(held.media_buy_id, (row) => ({
      ...row,
      drift_since: row.look_due_at,
      lines: [{ package_id: 'p', state: 'paused', by_hand: true, missing: [], as_of: '2026-04-01T00:00:00.000Z' }],
    }));
    await get('/orders/drift');
    await act('/orders/look');
    await cutOffAdServer(agent.core);
    const given = { media_buy_id: mediaBuyId('mb_given'), task_id: taskId('task_given') };
    await insertWaitingBuy(agent.core, given);
    await get('/orders');
    await act('/orders/mb_given/give-up', { reason: 'gone' });
    await get('/orders');
    await get('/orders/mb_given');

    const [{ property_id }] = (await get('/properties'))['properties'] as [{ property_id: string }];
    await act(`/properties/${property_id}/suspend`, { reason: 'down' });
    await get('/properties');
    await get(`/properties/${property_id}`);
    await act(`/properties/${property_id}/restore`);

    const { kid } = await act('/keys/rotate');
    await get('/keys');
    await act(`/keys/${String(kid)}/revoke`, { reason: 'a drill' });
    await get('/queues');
    await get('/doctor');
    await get('/settings');
    await act('/queues/task-runs/pause', { reason: 'a drill' });
    await act('/queues/task-runs/resume');
    await act('/secret/move-out');
    await act('/secret/reseal');
    await act('/sign-in-links/create');
    await act('/registry/import', { publishers: [] });
    await expectRegistry();
    await expectAccess(organization_id);
    const { actions } = await get('/actions');
    const paused = (actions as Json[]).find(({ action }) => action === 'queues.pause');
    await act('/queues/task-runs/pause', { reason: 'a drill' });
    const [latest] = (await get('/actions'))['actions'] as Json[];
    expect(latest?.['action_id']).not.toBe(paused?.['action_id']);
    await act(`/actions/${String(latest?.['action_id'])}/undo`);
    await get('/rows/set-aside');
    expect(await get('/actions/verification')).toMatchObject({ is_whole: true, without_hash: 0, faults: [] });

    expect(operations.map(({ method, path }) => `${method} ${path}`).filter((name) => !answered.has(name))).toEqual([]);
  });
});
