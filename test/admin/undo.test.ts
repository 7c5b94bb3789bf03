import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOfUndo } from '../../src/admin/operator/actions/undo.ts';
import { operations } from '../../src/admin/operator/operations.ts';
import { actingAs, operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { formsIn, textOf, visitorOf } from './console/support/visitor.ts';

interface ActionRow {
  action_id: string;
  action: string;
  by: string;
  outcome: string;
  undo_of?: string;
}

it('[O1.undo] each opposite is an action about the same thing, with nothing to say but what it says itself', () => {
  const undone = operations.filter(({ undo }) => undo !== undefined);
  expect(undone.map(({ action }) => action).sort()).toEqual([
    ...[
      'buyers.limits',
      'buyers.move_account',
      'buyers.suspend',
      'buys.hold',
      'creatives.suspend',
      'properties.suspend',
      'queues.pause',
      'registry.block',
    ],
    'webhooks.pause',
  ]);
  for (const { path, undo } of undone) {
    const opposite = operations.find(({ action }) => action === undo);
    expect(opposite?.path.replace(/\/[^/]*$/, '')).toBe(path.replace(/\/[^/]*$/, ''));
    const former = { approval_over: {}, credit: { USD: 5 } };
    const undoes = { former_status: 'active', status: 'suspended', former, approval_over: {}, credit: {} };
    const body = opposite && bodyOfUndo(opposite, undoes);
    expect(opposite?.body?.safeParse(body).success ?? true).toBe(true);
    // What is moved is moved back by itself.
    if (opposite?.path !== path) expect(opposite?.undo).toBeUndefined();
  }
});

describeOnStores('undoing what an operator did on %s', (store) => {
  let agent: TestAgent;
  let ann: { authorization: string };
  let ben: { authorization: string };
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
    [ann, ben] = [await actingAs(agent, 'Ann'), await actingAs(agent, 'Ben')];
  });
  afterAll(() => agent.stop());

  const act = (path: string, body?: object, headers: Record<string, string> = {}) =>
    operate(agent, 'POST', path, body, headers);
  const rowsOf = async (target: string) => {
    const { body } = await operate(agent, 'GET', `/actions?target=${encodeURIComponent(target)}`);
    return body['actions'] as ActionRow[];
  };
  /** A receiver that Ann has just paused. */
  async function paused() {
    const destination = `https://r-${randomUUID()}.example`;
    const path = `/webhooks/destinations/${encodeURIComponent(destination)}`;
    expect((await act(`${path}/pause`, { reason: 'a drill' }, ann)).status).toBe(200);
    const target = `/webhooks/destinations/${destination}`;
    const [row] = await rowsOf(target);
    const isPaused = async () => (await operate(agent, 'GET', path)).body['is_paused'];
    return { path, target, undo: `/actions/${row?.action_id ?? ''}/undo`, action_id: row?.action_id, isPaused };
  }

  it('[O1.undo] does the opposite, on record by who undid it and with what it undoes; the same click again is that click', async () => {
    const { target, undo, action_id, isPaused } = await paused();
    expect(await isPaused()).toBe(true);
    const click = { ...ben, 'idempotency-key': randomUUID() };
    const done = await act(undo, undefined, click);
    const told = { undo_of: action_id, action: 'webhooks.resume', target };
    expect([done.status, done.body]).toEqual([200, told]);
    expect(await isPaused()).toBe(false);
    const again = await act(undo, undefined, click);
    expect([again.status, again.body]).toEqual([200, told]);
    expect(await rowsOf(target)).toMatchObject([
      { action: 'webhooks.resume', by: 'Ben', outcome: 'done', undo_of: action_id },
      { action: 'webhooks.pause', by: 'Ann', outcome: 'done' },
    ]);
  });

  it('[O1.undo] of a buyer and of a property that were suspended, both go on as before', async () => {
    const made = await act('/buyers/add', { name: 'Quay' });
    const property_id = [...agent.core.catalog.properties.keys()][0] ?? '';
    const asked = [
      [`/buyers/${String(made.body['organization_id'])}`, 'buyers', { suspended_at: null }],
      [`/properties/${property_id}`, 'properties', { status: 'in_service' }],
    ] as const;
    for (const [target, of, before] of asked) {
      const now = async () => (await operate(agent, 'GET', target)).body;
      expect(await now()).toMatchObject(before);
      expect((await act(`${target}/suspend`, { reason: 'a drill' })).status).toBe(200);
      expect(await now()).not.toMatchObject(before);
      const [row] = await rowsOf(target);
      const action_id = row?.action_id ?? '';
      expect((await act(`/actions/${action_id}/undo`)).body).toEqual({
        undo_of: action_id,
        action: `${of}.restore`,
        target,
      });
      expect(await now()).toMatchObject(before);
      expect((await rowsOf(target)).slice(0, 2)).toMatchObject([
        { action: `${of}.restore`, outcome: 'done', undo_of: action_id },
        { action: `${of}.suspend`, outcome: 'done' },
      ]);
    }
  });

  it('[O1.undo] once: another who comes later is told who was first, and nothing is on record of that', async () => {
    const { target, undo } = await paused();
    await act(undo, undefined, ben);
    const refused = await act(undo, undefined, ann);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE' } } });
    expect(refused.body.error?.message).toMatch(/^Ben has undone it already, at /);
    expect(await rowsOf(target)).toHaveLength(2);
  });

  it('[O1.undo] not what has been done anew since: the newer one stands', async () => {
    const { path, undo, isPaused } = await paused();
    await act(`${path}/resume`, undefined, ben);
    await act(`${path}/pause`, { reason: 'another drill' }, ben);
    const refused = await act(undo, undefined, ann);
    expect([refused.status, refused.body.error?.message]).toEqual([
      409,
      expect.stringMatching(/^Ben has done webhooks\.pause there since, at .*; look at how it stands now$/),
    ]);
    expect(await isPaused()).toBe(true);
  });

  it('[O1.undo] by whoever may do the opposite, and nobody else', async () => {
    expect((await act('/queues/webhook-retries/pause', { reason: 'a drill' })).status).toBe(200);
    const [row] = await rowsOf('/queues/webhook-retries');
    const undo = `/actions/${row?.action_id ?? ''}/undo`;
    expect((await act(undo, undefined, ann)).status).toBe(403);
    expect((await act(undo, undefined, await actingAs(agent, 'Vic', 'viewer'))).status).toBe(403);
    const { queues } = (await operate(agent, 'GET', '/queues')).body as { queues: { queue: string }[] };
    expect(queues.find(({ queue }) => queue === 'webhook-retries')).toMatchObject({ is_paused: true });
    expect((await act(undo)).body).toMatchObject({ action: 'queues.resume' });
  });

  it('[O1.undo] nothing that has no opposite, was refused, or nobody did', async () => {
    const made = await act('/buyers/add', { name: 'Harbour' }, await actingAs(agent, 'Ada', 'admin'));
    const organization_id = String(made.body['organization_id']);
    const [added] = await rowsOf('/buyers');
    const refusal = async (id: string) => {
      const { status, body } = await act(`/actions/${id}/undo`, undefined, ann);
      return [status, body.error?.message];
    };
    expect(await refusal(added?.action_id ?? '')).toEqual([
      409,
      'buyers.add has no opposite: nothing of it can be undone from here',
    ]);
    expect((await act('/buyers/org_none/suspend', { reason: 'x' })).status).toBe(404);
    const [failed] = await rowsOf('/buyers/org_none');
    expect(await refusal(failed?.action_id ?? '')).toEqual([
      409,
      'this was refused: only what has been done can be undone',
    ]);
    expect((await refusal('act_none'))[0]).toBe(404);

    const admin = await visitorOf(agent, 'admin');
    const second = await admin.send(await admin.form('/buyers', 'Add'), { name: 'Quay' });
    expect(second.headers.get('location')).toMatch(/^\/admin\/buyers\/org_\w+\?done=buyers\.add&act=act_\w+$/);
    expect((await admin.get('/audit?action=buyers.add')).html).toContain('<bdi>name</bdi>: <bdi>Quay</bdi>');
    const page = `/buyers/${organization_id}`;
    const sent = await admin.send(await admin.form(page, 'Suspend'), {
      ...{ reason: 'unpaid', webhooks: 'go_on', _typed: 'Harbour' },
    });
    expect(sent.status).toBe(303);
    const landed = (sent.headers.get('location') ?? '').replace('/admin', '');
    // The way back stands beside what has just been done, and on the record; never for who may not restore.
    const operator = await visitorOf(agent, 'operator');
    expect(formsIn((await operator.get(landed)).html).map(({ button }) => button)).not.toContain('Undo');
    expect(formsIn((await operator.get(`/audit?target=/buyers/${organization_id}`)).html)).toEqual([]);
    const undo = await admin.form(landed, 'Undo');
    expect((await admin.form(`/audit?target=/buyers/${organization_id}`, 'Undo')).action).toBe(undo.action);
    expect((await admin.send(undo)).status).toBe(303);
    expect(textOf((await admin.get(page)).html)).not.toContain('unpaid');
    const after = (await admin.get(`/audit?target=/buyers/${organization_id}`)).html;
    expect(formsIn(after)).toEqual([]);
    expect(after).toContain('undoes act_');
    expect(after).toContain('<bdi>reason</bdi>: <bdi>unpaid</bdi>');
    expect((await rowsOf(`/buyers/${organization_id}`)).map(({ action }) => action)).toEqual([
      ...['buyers.restore', 'buyers.suspend'],
    ]);
  });
});
