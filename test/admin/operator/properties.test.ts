import { afterAll, beforeAll, expect, it } from 'vitest';
import { openImpairments } from '../../../src/sales/impairment/impairment-view.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { organizationId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';

type Json = Record<string, unknown> & { property_id: string };

describeOnStores('[W9] properties as an operator sees them, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterAll(() => agent.stop());

  const get = async (path: string) => (await operate(agent, 'GET', path)).body;
  const act = (property_id: string, verb: string, body?: object) =>
    operate(agent, 'POST', `/properties/${property_id}/${verb}`, body);

  it('lists those of the catalog page by page, and what is out of service', async () => {
    const all = [...agent.core.catalog.properties.keys()];
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await get(`/properties?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...(page['properties'] as Json[]).map(({ property_id }) => property_id));
      expect('cursor' in page).toBe(page['has_more']);
      cursor = (page['cursor'] ?? '') as string;
    } while (cursor !== '');
    expect(seen).toEqual(all);
    expect(await get('/properties?status=out_of_service')).toEqual({ properties: [], has_more: false });
  });

  it('one out of service impairs the running buys that have no other, until it is back; each twice as once', async () => {
    const single = [...agent.core.catalog.products.values()].find(
      ({ publisher_properties: [first, ...others] }) => others.length === 0 && first?.property_ids.length === 1,
    );
    const property_id = single?.publisher_properties[0]?.property_ids[0] ?? '';
    const product_id = single?.product_id ?? '';
    const { packages, ...buy } = sampleMediaBuy({ organization_id: organizationId('org_demo_buyer') });
    const lines = packages.map((line) => ({ ...line, product_id, creative_ids: ['c1'] }));
    await agent.core.sales.mediaBuys.insert({ ...buy, packages: lines, status: 'active', pending_reason: null });
    const impaired = async () => {
      const found = await openImpairments(agent.core.sales.impairments, [buy.media_buy_id]);
      return (found.get(buy.media_buy_id) ?? []).map(({ resource_id }) => resource_id);
    };
    for (let i = 0; i < 2; i++) {
      const answer = await act(property_id, 'suspend', { reason: 'the site is down' });
      const body = { property_id, status: 'out_of_service', reason: 'the site is down' };
      expect(answer).toMatchObject({ status: 200, body: { ...body, reason_code: 'property_unavailable' } });
      expect(await impaired()).toEqual([property_id]);
    }
    expect(await get(`/properties/${property_id}`)).toMatchObject({
      status: 'out_of_service',
      products: expect.arrayContaining([expect.objectContaining({ product_id, other_properties: 0 })]) as unknown,
    });
    expect(await get('/properties?status=out_of_service')).toMatchObject({ properties: [{ property_id }] });
    expect(await act(property_id, 'restore')).toMatchObject({ status: 200, body: { status: 'in_service' } });
    expect(await impaired()).toEqual([]);
    expect(await get(`/properties/${property_id}`)).not.toHaveProperty('reason');
  });

  it('an unknown one is NOT_FOUND, an unknown cursor and a missing reason are refused', async () => {
    const unknown = { status: 404, body: { error: { code: 'NOT_FOUND', field: 'property_id' } } };
    expect(await operate(agent, 'GET', '/properties/none')).toMatchObject(unknown);
    expect(await act('none', 'suspend', { reason: 'x' })).toMatchObject(unknown);
    expect(await act('none', 'suspend', {})).toMatchObject({ status: 422, body: { error: { field: 'reason' } } });
    expect(await operate(agent, 'GET', '/properties?cursor=none')).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', field: 'cursor' } },
    });
  });
});
