import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { approveJoining } from '../../../src/directory/join-request/decide.ts';
import { joinRequests } from '../../../src/directory/join-request/join-request.ts';
import { membershipId, memberships } from '../../../src/directory/membership/membership.ts';
import { newOrganization, organizations } from '../../../src/directory/organization/organization.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { actingAs, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { mortal } from '../../reporting/support/mortal-store.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { backTo, textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

const PAGE = '/registry/join-requests';
const ORGANIZATION = organizationId('org_acme');

describeOnStores('[R8.operator] who waits to join an organization, on %s', (store) => {
  let agent: TestAgent;
  let ada: { authorization: string };
  let admin: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
    ada = await actingAs(agent, 'Ada', 'admin');
    [admin, viewer] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'viewer')]);
    const created_at = toTimestamp(agent.core.clock.now());
    const named = { organization_id: ORGANIZATION, name: '<b>Acme</b>', state: 'active', created_at } as const;
    await agent.core.store.collection(organizations).insert(newOrganization(named));
  });
  afterAll(() => agent.stop());

  /** Somebody new asks. */
  async function asked(email = 'pat@acme.example') {
    const [join_request_id, user_id] = [`jr_${randomUUID()}`, `user ${randomUUID()}`];
    await agent.core.store.collection(joinRequests).insert({
      ...{ join_request_id, organization_id: ORGANIZATION, user_id, email, status: 'pending', role: null },
      ...{ pending_for: `${ORGANIZATION} ${user_id}`, decided_at: null, decided_by: null, revision: 1 },
      created_at: toTimestamp(agent.core.clock.now()),
    });
    return { join_request_id, user_id, path: `${PAGE}/${join_request_id}` };
  }
  const roleOf = async (user_id: string) =>
    (await agent.core.store.collection(memberships).get(membershipId(ORGANIZATION, user_id)))?.role;
  const statusOf = async (id: string) => (await agent.core.store.collection(joinRequests).get(id))?.status;
  const waiting = async () =>
    ((await operate(agent, 'GET', PAGE)).body['join_requests'] as { join_request_id: string }[]).map(
      ({ join_request_id }) => join_request_id,
    );

  it('is shown to all, with whether anybody but the seller can decide; and is decided by an admin alone', async () => {
    const { join_request_id, user_id, path } = await asked('<i>pat</i>@acme.example');
    const { html } = await viewer.get(PAGE);
    for (const text of ['<i>pat</i>@acme.example', '<b>Acme</b>', 'no: only you can decide'])
      expect(textOf(html)).toContain(text);
    expect(html).not.toMatch(/<i>pat|<b>Acme/);
    await expect(viewer.form(PAGE, 'Let in')).rejects.toThrow('has no form');
    const body = { role: 'member', reason: 'their owner has left' };
    for (const role of ['viewer', 'operator'] as const) {
      const other = await actingAs(agent, `a ${role}`, role);
      expect((await operate(agent, 'POST', `${path}/approve`, body, other)).status).toBe(403);
      expect((await operate(agent, 'POST', `${path}/reject`, { reason: 'no' }, other)).status).toBe(403);
    }
    expect([await statusOf(join_request_id), await roleOf(user_id)]).toEqual(['pending', undefined]);
  });

  it('is let in with a role, for a reason that is on record, and waits no more; or turned away, and may ask again', async () => {
    const [one, other] = [await asked(), await asked('sam@acme.example')];
    const form = await admin.form(PAGE, 'Let in');
    const its = { ...form, action: form.action.replace(/jr_[^/]+/, one.join_request_id) };
    expect((await admin.send(its, { role: 'owner', reason: 'x' })).status).toBe(403);
    const act = (path: string, body: object) => operate(agent, 'POST', path, body, ada);
    expect((await act(`${one.path}/approve`, { role: 'chief', reason: 'x' })).body.error).toMatchObject({
      field: 'role',
    });
    expect((await act(`${one.path}/approve`, { role: 'admin' })).body.error).toMatchObject({ field: 'reason' });
    expect(await roleOf(one.user_id)).toBeUndefined();
    const body = { role: 'admin', reason: 'their owner has left' };
    expect((await act(`${one.path}/approve`, body)).body).toMatchObject({ status: 'approved', role: 'admin' });
    expect((await act(`${one.path}/approve`, body)).status).toBe(200);
    expect(await roleOf(one.user_id)).toBe('admin');
    expect((await act(`${one.path}/reject`, { reason: 'no' })).body.error).toMatchObject({ code: 'CONFLICT' });
    expect((await act(`${other.path}/reject`, { reason: 'unknown to them' })).body).toMatchObject({
      status: 'rejected',
    });
    expect([await roleOf(other.user_id), await statusOf(other.join_request_id)]).toEqual([undefined, 'rejected']);
    for (const { join_request_id } of [one, other]) expect(await waiting()).not.toContain(join_request_id);
    const { body: log } = await operate(agent, 'GET', `/actions?target=${encodeURIComponent(one.path)}`);
    expect(log['actions']).toMatchObject([
      { action: 'registry.reject_join', outcome: 'refused' },
      { action: 'registry.approve_join', by: 'Ada', input: body, outcome: 'done' },
      { action: 'registry.approve_join' },
    ]);
    const all = await operate(agent, 'GET', `${PAGE}?organization_id=${ORGANIZATION}`);
    expect((all.body['join_requests'] as object[]).length).toBeGreaterThanOrEqual(3);
    expect((await act(`${PAGE}/jr_unknown/approve`, body)).status).toBe(404);
  });

  it('is decided from the page by a form, which comes back to it', async () => {
    const { user_id } = await asked('kim@acme.example');
    const before = await waiting();
    for (const _each of before) {
      const sent = await admin.send(await admin.form(PAGE, 'Let in'), { role: 'member', reason: 'known' });
      expect([sent.status, sent.headers.get('location')]).toEqual([303, backTo(PAGE, 'registry.approve_join')]);
    }
    expect(await roleOf(user_id)).toBe('member');
    expect(textOf((await admin.get(PAGE)).html)).toContain('Nobody waits to join an organization.');
  });

  it('is a member once, whichever write a process dies at', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let n = 1; n <= 3; n++) {
        const { join_request_id, user_id } = await asked();
        const deciding = { join_request_id, decided_by: 'operator:Ada' };
        const { clock } = agent.core;
        const dying = mortal(n, when).wrap(agent.core.store);
        await approveJoining({ store: dying, clock }, deciding, 'member').catch(() => undefined);
        await approveJoining(agent.core, deciding, 'member');
        expect([await statusOf(join_request_id), await roleOf(user_id)]).toEqual(['approved', 'member']);
      }
    }
  });
});
