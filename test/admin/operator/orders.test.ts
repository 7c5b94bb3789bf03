import { afterAll, beforeAll, expect, it } from 'vitest';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { mediaBuyId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { cutOffAdServer, insertWaitingBuy } from '../support/waiting-order.ts';

describeOnStores('orders as an operator sees them, on %s', (store) => {
  let agent: TestAgent;
  let since: string;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterAll(() => agent.stop());

  const get = async (path: string) => (await operate(agent, 'GET', path)).body;
  const act = (path: string, body: object = {}) => operate(agent, 'POST', `/orders/${path}`, body);
  const ready = async () => {
    const response = await fetch(`${agent.baseUrl}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  const wait = (n: number) =>
    insertWaitingBuy(agent.core, { media_buy_id: mediaBuyId(`mb_${n}`), task_id: taskId(`task_${n}`) });

  it('are told anew when they are pushed, and then stand at the next version', async () => {
    const { media_buy_id } = await wait(1);
    const early = await act('mb_1/push');
    expect(early).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE', field: 'media_buy_id' } } });
    expect(early.body.error?.message).toContain('a change (hold) of task task_1 of mb_1 waits for the ad server');
    await agent.core.sales.courier.tell(media_buy_id, { inHand: true });
    const held = await get('/orders/mb_1');
    expect(held).toMatchObject({ held: { version: 1 }, waiting: null, order: { media_buy_id: 'mb_1', state: 'held' } });
    expect(await act('mb_1/push')).toMatchObject({ status: 200, body: { held: { version: 2, state: 'held' } } });
    const nothing = await act('mb_1/give-up', { reason: 'x' });
    expect(nothing).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE' } } });
    expect(nothing.body.error?.message).toContain('nothing to give up');
    expect(await ready()).toEqual({
      status: 200,
      body: {
        ...{ store: 'ok', queue: 'ok', signing_keys: 'ok' },
        ad_servers: [{ id: 'default', state: 'closed', since: null, orders_waiting: 0 }],
      },
    });
  });

  it('wait while the ad server cannot be reached, and say since when and why', async () => {
    since = await cutOffAdServer(agent.core);
    for (const n of [2, 3]) {
      const { media_buy_id } = await wait(n);
      await agent.core.sales.courier.tell(media_buy_id, { inHand: true });
    }
    const adServer = { id: 'default', state: 'open', since, orders_waiting: 2 };
    expect(await ready()).toMatchObject({ status: 200, body: { ad_servers: [adServer] } });
    const first = await get('/orders?limit=1');
    expect(first).toMatchObject({
      ad_servers: [{ ...adServer, last_fault: 'connect ECONNREFUSED' }],
      orders: [{ media_buy_id: 'mb_2', waiting: { kind: 'hold', task_id: 'task_2', version: 1, given_up: false } }],
      has_more: true,
    });
    const next = await get(`/orders?limit=1&cursor=${String(first['cursor'])}`);
    expect(next).toMatchObject({ orders: [{ media_buy_id: 'mb_3' }], has_more: false });
  });

  it('are given up: an end that waits first, and by force a buy that is canceled; each twice as once', async () => {
    for (let i = 0; i < 2; i++) {
      const given = await act('mb_2/give-up', { reason: 'it is gone' });
      const waiting = { kind: 'end', version: 2, given_up: true };
      expect(given).toMatchObject({ status: 200, body: { status: 'pending', waiting, open_change: { kind: 'hold' } } });
    }
    expect(await get('/orders')).toMatchObject({ orders: [{ media_buy_id: 'mb_2' }, { media_buy_id: 'mb_3' }] });
    for (let i = 0; i < 2; i++) {
      const forced = await act('mb_2/give-up', { reason: 'it is gone', force: true });
      expect(forced).toMatchObject({ status: 200, body: { status: 'canceled', open_change: null } });
      expect(forced.body).toMatchObject({ waiting: { kind: 'end', version: 2, task_id: null } });
    }
    const buy = await agent.core.sales.mediaBuys.get(mediaBuyId('mb_2'));
    expect(buy).toMatchObject({
      verdicts: { task_2: { error: { code: 'SERVICE_UNAVAILABLE', details: { effect: 'unknown' } } } },
      history: [{}, { action: 'given_up', actor: 'seller', note: 'it is gone' }],
    });
  });

  it('are shown where they stand otherwise, and are hurried to be looked at', async () => {
    expect(await get('/orders/drift')).toEqual({ orders: [], has_more: false });
    await agent.core.sales.adOrders.update(mediaBuyId('mb_1'), (row) => ({
      ...row,
      drift_since: since,
      differences: [{ pointer: '/lines/0/budget_minor', ours: 1, theirs: 2 }],
      lines: [{ package_id: 'p', state: 'paused', by_hand: true, missing: [], as_of: since }],
    }));
    const differences = [{ pointer: '/lines/0/budget_minor', ours: 1, theirs: 2 }];
    const drift = {
      media_buy_id: 'mb_1',
      drift_since: since,
      by_hand: [{ package_id: 'p', state: 'paused' }],
      differences,
    };
    expect(await get('/orders/drift')).toMatchObject({ orders: [drift], has_more: false });
    expect(await act('look')).toMatchObject({ status: 200, body: { orders: 1 } });
    expect(await act('mb_3/look')).toMatchObject({ status: 200, body: { media_buy_id: 'mb_3', looked_at: null } });
  });

  it('that are unknown are NOT_FOUND, and one is given up for a reason only', async () => {
    const unknown = { status: 404, body: { error: { code: 'NOT_FOUND', field: 'media_buy_id' } } };
    expect(await operate(agent, 'GET', '/orders/none')).toMatchObject(unknown);
    for (const verb of ['look', 'push']) expect(await act(`none/${verb}`)).toMatchObject(unknown);
    expect(await act('none/give-up', { reason: 'x' })).toMatchObject(unknown);
    expect(await act('mb_3/give-up')).toMatchObject({ status: 422, body: { error: { field: 'reason' } } });
  });
});
