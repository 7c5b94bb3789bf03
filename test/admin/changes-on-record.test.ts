import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperatorActions } from '../../src/admin/operator/actions/action.ts';
import { changeBetween } from '../../src/admin/operator/actions/change.ts';
import { operations } from '../../src/admin/operator/operations.ts';
import { OPERATOR_ROLES } from '../../src/directory/operator/operator.ts';
import { openAccount } from '../../src/sales/account/account.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { textOf, visitorOf } from './console/support/visitor.ts';

const BUYER = organizationId('org_demo_buyer');

describe('what an action changed', () => {
  it('[O1.record] is what differs between two views, but for what moves by itself and what is long', () => {
    const before = {
      status: 'active',
      reason: null,
      age_seconds: 3,
      revision: 1,
      last_24_hours: 1,
      history: 'h'.repeat(600),
      same: [1],
    };
    const after = {
      status: 'paused',
      age_seconds: 4,
      revision: 2,
      last_24_hours: 2,
      history: 'i',
      same: [1],
      at: 'now',
    };
    expect(changeBetween(before, after)).toEqual({
      before: { status: 'active', at: null },
      after: { status: 'paused', at: 'now' },
    });
    expect(changeBetween(before, { ...before, revision: 9 })).toBeUndefined();
  });

  it('[O1.record] is seen wherever its target has a view of its own, which nobody needs another role for', () => {
    const actions = operations.filter(
      ({ action, isOnRecordAsAnother }) => action !== undefined && !isOnRecordAsAnother,
    );
    const viewOf = (path: string) =>
      operations.find((one) => one.method === 'get' && one.params && one.path === path.replace(/\/[^/]*$/, ''));
    const rank = (role: (typeof OPERATOR_ROLES)[number]) => OPERATOR_ROLES.indexOf(role);
    const stricter = actions.filter(({ path, role }) => rank(viewOf(path)?.role ?? 'viewer') > rank(role));
    expect(stricter).toEqual([]);
    // They make something, end it for good, or say all by their names.
    expect(actions.filter(({ path }) => viewOf(path) === undefined).map(({ action }) => action)).toEqual([
      ...['orders.look_at_all', 'webhooks.resend_range', 'webhooks.end_registration', 'webhooks.test', 'keys.rotate'],
      ...['keys.revoke', 'secret.move_out', 'secret.reseal', 'buyers.add', 'buyers.reroll_key', 'buyers.revoke_key'],
      ...['portal_links.create', 'portal_sessions.end', 'grants.end', 'accounts.end', 'people.invite'],
      ...['sessions.end_all', 'sessions.end', 'me.end_sessions', 'operator_keys.add', 'operator_keys.revoke'],
      ...['queues.pause', 'queues.resume', 'sign_in_links.create', 'registry.import', 'registry.assign_domain'],
      ...['registry.release_domain', 'registry.approve_join', 'registry.reject_join', 'registry.block'],
      'registry.unblock',
    ]);
  });
});

describeOnStores('what actions change, on record on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterAll(() => agent.stop());

  async function done(target: string, verb: string, body?: object) {
    const answer = await operate(agent, 'POST', `${target}/${verb}`, body);
    const listed = await operate(agent, 'GET', `/actions?target=${encodeURIComponent(decodeURIComponent(target))}`);
    const [row] = listed.body['actions'] as { action_id: string; changed?: object; outcome: string }[];
    return { status: answer.status, row };
  }

  it('[O1.record] each leaves how its target was seen before and after, told by the API and on the page', async () => {
    const invited = await operate(agent, 'POST', '/people/invite', { name: 'Cleo', role: 'viewer' });
    const person = `/people/${String(invited.body['person_id'])}`;
    const property = `/properties/${[...agent.core.catalog.properties.keys()][0] ?? ''}`;
    const key = { brand_domain: 'acme.example', brand_id: null, operator: 'agency.example', sandbox: false };
    const { account_id } = await openAccount(agent.core.sales, BUYER, key);
    const destination = `/webhooks/destinations/${encodeURIComponent('https://r.example')}`;
    const asked = [
      [person, 'role', { role: 'operator' }, { role: 'viewer' }, { role: 'operator' }],
      [property, 'suspend', { reason: 'a fire' }, { status: 'in_service' }, { status: 'out_of_service' }],
      [`/buyers/${BUYER}`, 'suspend', { reason: 'owes' }, { suspended_at: null }, { suspension: { reason: 'owes' } }],
      [`/buyers/${BUYER}`, 'restore', undefined, { suspension: { reason: 'owes' } }, { suspension: null }],
      [
        `/buyer-accounts/${account_id}`,
        'move',
        { status: 'suspended', reason: 'owes' },
        { status: 'active' },
        { status: 'suspended' },
      ],
      [destination, 'pause', { reason: 'a drill' }, { is_paused: false }, { is_paused: true }],
    ] as const;
    for (const [target, verb, body, before, after] of asked) {
      const { status, row } = await done(target, verb, body);
      expect([target, verb, status]).toEqual([target, verb, 200]);
      expect(row).toMatchObject({ outcome: 'done', changed: { before, after } });
    }
    const { html } = await (await visitorOf(agent, 'viewer')).get('/audit');
    expect(textOf(html.replaceAll(/<[^>]*>/g, ''))).toContain('role: viewer → operator');
  });

  it('[O1.record] none says that it changed what it did not, and one whose change is altered is found', async () => {
    const property = `/properties/${[...agent.core.catalog.properties.keys()][1] ?? ''}`;
    await done(property, 'suspend', { reason: 'a fire' });
    const again = await done(property, 'restore');
    expect(again.row?.changed).toMatchObject({ after: { status: 'in_service' } });
    const refused = await done('/properties/none', 'suspend', { reason: 'a fire' });
    expect([refused.status, refused.row?.outcome, refused.row?.changed]).toEqual([404, 'refused', undefined]);

    const verify = async () => (await operate(agent, 'GET', '/actions/verification')).body['faults'];
    expect(await verify()).toEqual([]);
    const rows = agent.core.store.collection(OperatorActions);
    const action_id = again.row?.action_id ?? '';
    await rows.update(action_id, (row) => ({ ...row, changed: { before: {}, after: { status: 'out_of_service' } } }));
    expect(await verify()).toMatchObject([{ kind: 'altered', action_id }]);
  });
});
