import { afterAll, beforeAll, expect, it } from 'vitest';
import { SetAsideRows } from '../../../src/platform/store/set-aside.ts';
import { PerformanceFeedbacks } from '../../../src/sales/performance-feedback/performance-feedback.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { cutOffAdServer, insertWaitingBuy } from '../support/waiting-order.ts';
import { textOf, visitorOf } from './support/visitor.ts';
import type { Visitor } from './support/visitor.ts';

describeOnStores('[O1.pages] orders, properties and what else is behind the sales, in the console on %s', (store) => {
  let agent: TestAgent;
  let admin: Visitor;
  let viewer: Visitor;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
    [admin, viewer] = await Promise.all([visitorOf(agent, 'admin'), visitorOf(agent, 'viewer')]);
  });
  afterAll(() => agent.stop());

  const shown = async (path: string) => textOf((await viewer.get(path)).html.replaceAll(/<[^>]+>/g, ' '));
  const actions = async () => {
    const { body } = await operate(agent, 'GET', '/actions');
    return (body['actions'] as { action: string }[]).map(({ action }) => action);
  };

  it('an order is told anew from its page, and one that waits is given up by who types its id', async () => {
    const [held, waits] = [mediaBuyId('mb_held'), mediaBuyId('mb_waits')];
    await insertWaitingBuy(agent.core, { media_buy_id: held, task_id: taskId('task_held') });
    await agent.core.sales.courier.tell(held, { inHand: true });
    expect(await shown('/orders')).toContain('Nothing waits');
    expect(await shown('/orders/mb_held')).toMatch(/Held there\s+held, version 1/);
    expect((await admin.send(await admin.form('/orders/mb_held', 'Tell it anew'))).status).toBe(303);
    expect(await shown('/orders/mb_held')).toMatch(/Held there\s+held, version 2/);
    await cutOffAdServer(agent.core);
    await insertWaitingBuy(agent.core, { media_buy_id: waits, task_id: taskId('task_waits') });
    await agent.core.sales.courier.tell(waits, { inHand: true });
    expect(await shown('/orders')).toMatch(/failing.*connect ECONNREFUSED.*inventory to be kept/s);
    await expect(viewer.form('/orders/mb_waits', 'Give it up')).rejects.toThrow('has no form');
    expect((await admin.get('/orders/mb_waits')).html).toContain(
      '<input type="checkbox" name="_ticked" value="force">',
    );
    const form = await admin.form('/orders/mb_waits', 'Give it up');
    expect((await admin.send(form, { reason: 'it is gone', _typed: 'mb_held' })).status).toBe(422);
    const again = await admin.form('/orders/mb_waits', 'Give it up');
    expect((await admin.send(again, { reason: 'it is gone', _typed: 'mb_waits' })).status).toBe(303);
    expect(await shown('/orders/mb_waits')).toMatch(/Waits with\s+its end, given up/);
    await expect(admin.form('/orders/mb_waits', 'Give it up')).rejects.toThrow('has no form');
    // Its end is not waited for any longer by who ticks that, and types the id.
    const more = await admin.form('/orders/mb_waits', 'Wait no more');
    expect((await admin.send(more, { reason: 'for good', _ticked: 'force', _typed: 'mb_held' })).status).toBe(422);
    expect((await operate(agent, 'GET', '/orders/mb_waits')).body['status']).toBe('pending');
    const last = await admin.form('/orders/mb_waits', 'Wait no more');
    expect((await admin.send(last, { reason: 'for good', _ticked: 'force', _typed: 'mb_waits' })).status).toBe(303);
    expect((await operate(agent, 'GET', '/orders/mb_waits')).body['status']).toBe('canceled');
    await expect(admin.form('/orders/mb_waits', 'Wait no more')).rejects.toThrow('has no form');
    expect((await viewer.get('/orders/none')).status).toBe(404);
  });

  it('what stands otherwise at the ad server is a list, and field by field on the order’s page', async () => {
    expect(await shown('/orders/drift')).toContain('None does');
    const at = '2026-01-01T00:00:00.000Z';
    await agent.core.sales.adOrders.update(mediaBuyId('mb_held'), (row) => ({
      ...row,
      drift_since: at,
      differences: [{ pointer: '/lines/0/name', ours: 'told', theirs: '<b>seen</b>' }],
      lines: [{ package_id: 'p', state: 'paused', by_hand: true, missing: [], as_of: at }],
    }));
    expect(await shown('/orders/drift')).toMatch(/mb_held.*p: paused/s);
    const { html } = await viewer.get('/orders/mb_held');
    expect(html).not.toContain('<b>seen');
    expect(textOf(html)).toMatch(/\/lines\/0\/name.*"told".*"<b>seen<\/b>"/s);
    expect((await admin.send(await admin.form('/orders', 'Look at all soon'))).status).toBe(303);
    expect(await actions()).toEqual(expect.arrayContaining(['orders.look_at_all', 'orders.push', 'orders.give_up']));
  });

  it('a property is taken out of service by an admin with a reason, and put back', async () => {
    const [property_id = ''] = agent.core.catalog.properties.keys();
    const page = `/properties/${property_id}`;
    expect((await viewer.get('/properties')).html).toContain(`href="/admin${page}"`);
    await expect(viewer.form(page, 'Take it out of service')).rejects.toThrow('has no form');
    const form = await admin.form(page, 'Take it out of service');
    const sent = await admin.send(form, { reason: 'the site is down', reason_code: 'fraud' });
    expect(sent.status).toBe(303);
    expect(await shown(page)).toMatch(/out of service.*Fraud.*the site is down/s);
    expect(await shown('/properties?status=out_of_service')).toContain('the site is down');
    expect((await admin.send(await admin.form(page, 'Put it back into service'))).status).toBe(303);
    expect(await shown('/properties?status=out_of_service')).toContain('None is out of service');
    expect((await viewer.get('/properties?status=odd')).status).toBe(422);
  });

  it('tells what buyers say of how it did, and what cannot be read', async () => {
    const common = { revision: 1, expires_at: '2999-01-01T00:00:00.000Z' };
    await agent.core.store.collection(PerformanceFeedbacks).insert({
      ...{
        feedback_id: 'fb_1',
        organization_id: organizationId('org_demo_buyer'),
        media_buy_id: mediaBuyId('mb_held'),
      },
      ...{ package_id: null, creative_id: null, metric_type: 'brand_lift', feedback_source: 'buyer_attribution' },
      ...{ performance_index: 1.25, measurement_period: { start: '2026-01-01', end: '2026-01-08' } },
      ...{ created_at: '2026-01-09T00:00:00.000Z', ...common },
    });
    expect(await shown('/performance-feedback?media_buy_id=mb_held')).toMatch(/mb_held.*brand lift.*1\.25/s);
    expect(await shown('/performance-feedback?media_buy_id=mb_waits')).toContain('Nobody has said anything');
    await agent.core.store.collection(SetAsideRows).insert({
      ...{ set_aside_id: 'sa_1', collection_name: 'things', key: '<i>', problems: ['name: is missing'] },
      ...{ noted_at: '2026-01-09T00:00:00.000Z', revision: 1 },
    });
    const { html } = await viewer.get('/set-aside');
    expect(html).not.toContain('<i>');
    expect(textOf(html)).toMatch(/things.*name: is missing/s);
  });

  it('says how sealing everything anew went', async () => {
    await expect(viewer.form('/keys', 'Seal anew')).rejects.toThrow('has no form');
    const { status, html } = await admin.send(await admin.form('/keys', 'Seal anew'));
    expect(status).toBe(200);
    expect(textOf(html)).toContain('No row is sealed by a former secret any more.');
  });
});
