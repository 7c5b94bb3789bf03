import { afterAll, beforeAll, expect, it } from 'vitest';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import { openImpairments } from '../../../src/sales/impairment/impairment-view.ts';
import { actingAs, operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { sampleCreative } from '../../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { describeOnStores } from '../../support/stores.ts';
import { visitorOf } from '../console/support/visitor.ts';

type Json = Record<string, unknown>;
const ORGANIZATION = organizationId('org_demo_buyer');

describeOnStores('[B11] creatives as an operator sees them, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterAll(() => agent.stop());

  const get = async (path: string) => (await operate(agent, 'GET', path)).body;
  const decide = async (creative_id: string, verb: string, body: object = {}, by = 'ann') => {
    const path = `/creatives/${ORGANIZATION}/${encodeURIComponent(creative_id)}/${verb}`;
    return operate(agent, 'POST', path, body, await actingAs(agent, by));
  };
  const refused = { status: 409, body: { error: { code: 'INVALID_STATE', field: 'creative_id' } } };

  async function add(creative_id: string, changes: Json = {}): Promise<void> {
    const given = { organization_id: ORGANIZATION, creative_id, status: 'pending_review', ...changes };
    const creative_key = creativeKey(ORGANIZATION, creative_id);
    await agent.core.sales.creatives.insert({ ...sampleCreative(given as Json), creative_key });
  }

  it('lists what is in review page by page, and others by status and buyer', async () => {
    for (const id of ['a', 'b', 'c'])
      await add(`list/${id}`, { created_at: `2026-01-0${id.charCodeAt(0) - 96}T00:00:00.000Z` });
    await add('list/done', { status: 'approved' });
    const first = await get('/creatives?limit=2');
    expect(first).toMatchObject({
      creatives: [{ creative_id: 'list/a', organization_id: ORGANIZATION, status: 'pending_review' }, {}],
      has_more: true,
    });
    const rest = await get(`/creatives?limit=2&cursor=${encodeURIComponent(String(first['cursor']))}`);
    expect(rest).toMatchObject({ creatives: [{ creative_id: 'list/c' }], has_more: false });
    const approved = await get(`/creatives?status=approved&organization_id=${ORGANIZATION}`);
    expect(approved['creatives']).toMatchObject([{ creative_id: 'list/done' }]);
    expect(await get('/creatives?organization_id=org_other')).toMatchObject({ creatives: [] });
  });

  it('[O1.lists] lists what is of one format, and not of one buyer besides; on its page, too', async () => {
    await add('of/it', { format: 'reel_9x16', status: 'archived' });
    await add('of/other', { format: 'reel_1x1', status: 'archived' });
    const found = await get('/creatives?status=archived&format=reel_9x16');
    expect((found['creatives'] as Json[]).map(({ creative_id }) => creative_id)).toEqual(['of/it']);
    expect(await get('/creatives?format=reel_9x16')).toMatchObject({ creatives: [] });
    const both = await get(`/creatives?format=reel_9x16&organization_id=${ORGANIZATION}`);
    expect(both).toMatchObject({ error: { code: 'VALIDATION_ERROR', field: 'format' } });
    const { html } = await (await visitorOf(agent, 'viewer')).get('/creatives?status=archived&format=reel_9x16');
    const itsPage = `/admin/creatives/${ORGANIZATION}/${encodeURIComponent('of/it')}`;
    expect(html).toContain(`href="${itsPage}#serves"`);
    expect([html.includes('of/it'), html.includes('of/other')]).toEqual([true, false]);
  });

  it('approves, suspends, restores; each twice as once, and says who did it', async () => {
    await add('banner');
    const buy = sampleMediaBuy({ organization_id: ORGANIZATION });
    const line = buy.packages[0];
    if (line === undefined) throw new Error('the sample has no package');
    const packages = [{ ...line, creative_ids: ['banner'] }];
    await agent.core.sales.mediaBuys.insert({ ...buy, packages, status: 'pending', pending_reason: 'creatives' });
    for (const [verb, body, status] of [
      ['approve', {}, 'approved'],
      ['suspend', { reason: 'a complaint', reason_code: 'brand_safety' }, 'suspended'],
      ['restore', {}, 'approved'],
    ] as const) {
      const answer = await decide('banner', verb, body);
      expect(answer).toMatchObject({ status: 200, body: { status } });
      expect((await decide('banner', verb, body, 'bob')).body['status']).toBe(status);
    }
    const shown = await get(`/creatives/${ORGANIZATION}/banner`);
    const history = (shown['history'] as Json[]).filter(({ action }) => action === 'decided');
    expect(history).toMatchObject([
      { by: 'ann', to_status: 'approved' },
      { by: 'ann', to_status: 'suspended', note: 'a complaint' },
      { by: 'ann', to_status: 'approved' },
    ]);
    expect(history).toHaveLength(3);
    expect(shown['used_by']).toMatchObject([{ media_buy_id: buy.media_buy_id, package_id: line.package_id }]);
  });

  it('rejects with a reason that the buyer is told', async () => {
    await add('bad');
    const { body } = await decide('bad', 'reject', { reason: 'misleading', reason_code: 'content_rejected' });
    expect(body).toMatchObject({ status: 'rejected', status_reason: 'misleading', reason_code: 'content_rejected' });
  });

  it('refuses what its state does not allow, saying which that is', async () => {
    await add('done', { status: 'approved' });
    await add('out', { status: 'suspended' });
    expect(await decide('done', 'reject', { reason: 'no' })).toMatchObject(refused);
    expect(await decide('out', 'approve')).toMatchObject(refused);
    const restore = await decide('done', 'restore');
    expect(restore).toMatchObject({ status: 200, body: { status: 'approved' } });
    await add('fresh');
    expect(await decide('fresh', 'restore')).toMatchObject(refused);
    expect(await decide('fresh', 'suspend', { reason: 'x' })).toMatchObject(refused);
  });

  it('of two operators at once one decides', async () => {
    await add('contested');
    const answers = await Promise.all([
      decide('contested', 'approve', {}, 'ann'),
      decide('contested', 'reject', { reason: 'no' }, 'bob'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('a suspended creative of a live buy impairs it, a restored one no longer', async () => {
    await add('live', { status: 'approved' });
    const buy = sampleMediaBuy({
      organization_id: ORGANIZATION,
      media_buy_id: mediaBuyId('mb_live'),
      task_id: taskId('t_live'),
    });
    const packages = buy.packages.slice(0, 1).map((line) => ({ ...line, creative_ids: ['live'] }));
    const row = { ...buy, buyer_ref: 'live', packages, status: 'active', pending_reason: null } as const;
    await agent.core.sales.mediaBuys.insert(row);
    const impaired = async () => (await openImpairments(agent.core.sales.impairments, [buy.media_buy_id])).size;
    await decide('live', 'suspend', { reason: 'a complaint' });
    expect(await impaired()).toBe(1);
    await decide('live', 'restore');
    expect(await impaired()).toBe(0);
  });
});
