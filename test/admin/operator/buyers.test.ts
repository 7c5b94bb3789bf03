import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { floorHour, HOUR_MS } from '../../../src/platform/hours.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import type { MediaBuyId } from '../../../src/sales/media-buy/media-buy-id.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { recordDelivery } from '../../sales/support/record-delivery.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';
import { textOf, visitorOf } from '../console/support/visitor.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
});
afterAll(() => agent.stop());

it('an operator makes an organization, once for a click, and a key for it that opens', async () => {
  const click = { 'idempotency-key': randomUUID() };
  const made = await operate(agent, 'POST', '/buyers/add', { name: 'Harbour Media' }, click);
  expect(made).toMatchObject({ status: 200, body: { name: 'Harbour Media', state: 'active', suspended_at: null } });
  const again = await operate(agent, 'POST', '/buyers/add', { name: 'Harbour Media' }, click);
  expect(again.body).toMatchObject({ ...made.body, replayed: true });
  const { buyers } = (await operate(agent, 'GET', '/buyers')).body as { buyers: { name: string }[] };
  expect(buyers.filter(({ name }) => name === 'Harbour Media')).toHaveLength(1);

  const id = String(made.body['organization_id']);
  const { key } = (await operate(agent, 'POST', `/buyers/${id}/keys/add`, { name: 'first' })).body;
  const headers = { authorization: `Bearer ${String(key)}`, 'a2a-version': '1.0' };
  const opened = await fetch(`${agent.baseUrl}/a2a/rest/tasks`, { headers });
  expect(opened.status).toBe(200);
  await opened.arrayBuffer();

  const { actions } = (await operate(agent, 'GET', '/actions?target=/buyers')).body;
  expect(actions).toMatchObject([{ action: 'buyers.add', input: { name: 'Harbour Media' }, outcome: 'done' }]);
});

it('an organization needs a name', async () => {
  for (const body of [{}, { name: ' ' }, { name: 'a\u0007' }])
    expect((await operate(agent, 'POST', '/buyers/add', body)).status).toBe(422);
});

it('[O1.pacing] pace is that of the last hour that is recorded, in the list and on the page', async () => {
  const { organization_id: id } = (await operate(agent, 'POST', '/buyers/add', { name: 'Evenly' })).body;
  const { mediaBuys, facts } = agent.core.sales;
  const hour = floorHour(Date.now());
  const at = (hours: number) => new Date(hour + hours * HOUR_MS).toISOString();
  const recorded_until = at(-5);
  const buy = sampleMediaBuy({
    ...{ organization_id: organizationId(String(id)), media_buy_id: mediaBuyId('mb_evenly'), buyer_ref: 'evenly' },
    ...{ task_id: taskId('task_evenly'), status: 'active', pending_reason: null, total_budget_minor: 100_000 },
    ...{ created_at: at(-11), start_time: at(-10), end_time: at(10), reporting_due_at: null },
    ...{ flight: { recorded_until, is_delayed: false, revision: 1 }, flight_due_at: '2099-01-01T00:00:00.000Z' },
  });
  await mediaBuys.insert(buy);
  const hours = [{ package_id: 'pkg_1', hour: at(-6), impressions: 1, clicks: 0, spend_minor: 25_000 }];
  await recordDelivery(facts, buy.media_buy_id, { hours, corrections: [] }, recorded_until);
  const row = (await operate(agent, 'GET', `/media-buys/${buy.media_buy_id}`)).body;
  expect(row).toMatchObject({ recorded_until });
  const viewer = await visitorOf(agent, 'viewer');
  const list = await viewer.get(`/buys?organization_id=${String(id)}`);
  expect(textOf(list.html)).toContain('25 %, on pace');
  const page = textOf((await viewer.get(`/buys/${buy.media_buy_id}`)).html);
  expect(page).toContain('an even pace stands at 250.00 USD, of which 100 % is spent. Both stand as of ');
  expect(page).toMatch(
    new RegExp(`Both stand as of <time datetime="${recorded_until}">.*\\(UTC\\), up to which it is`),
  );
});

it('[O1] how a buyer stands is told in numbers: of its newest 50 media buys, in each currency, what is booked and spent', async () => {
  const { organization_id: id } = (await operate(agent, 'POST', '/buyers/add', { name: 'Quay & Co' })).body;
  const standing = async () => (await operate(agent, 'GET', `/buyers/${String(id)}/standing`)).body;
  expect(await standing()).toMatchObject({
    ...{ organization_id: id, buys_since: null, media_buys: [], summed_buys: 0, is_all_summed: true, money: [] },
  });
  const { mediaBuys, facts } = agent.core.sales;
  let sold = 0;
  const sell = async (changes: Partial<MediaBuy>) => {
    sold += 1;
    const name = `quay_${sold}`;
    const buy = sampleMediaBuy({
      ...{ organization_id: organizationId(String(id)), media_buy_id: mediaBuyId(`mb_${name}`), buyer_ref: name },
      ...{ task_id: taskId(`task_${name}`), created_at: new Date(Date.UTC(2026, 2, 2, 9, sold)).toISOString() },
      ...{ flight_due_at: null, reporting_due_at: null, ...changes },
    });
    await mediaBuys.insert(buy);
    return buy.media_buy_id;
  };
  const delivered = (media_buy_id: MediaBuyId, spend_minor: number, day: string) => {
    const hours = [{ package_id: 'pkg_1', hour: `${day}T10:00:00.000Z`, impressions: 1, clicks: 0, spend_minor }];
    return recordDelivery(facts, media_buy_id, { hours, corrections: [] }, `${day}T12:00:00.000Z`);
  };
  const running = await sell({ status: 'active', pending_reason: null });
  await delivered(running, 10_050, '2026-04-02');
  await delivered(running, 9_950, '2026-04-29');
  await delivered(await sell({ status: 'canceled', pending_reason: null, open: false }), 500, '2026-04-02');
  await sell({ pending_reason: 'approval' });
  await sell({ status: 'completed', pending_reason: null, open: false, currency: 'JPY', total_budget_minor: 7_000 });
  const counted = (of: Record<string, number>) => Object.entries(of).map(([status, count]) => ({ status, count }));
  expect(await standing()).toMatchObject({
    ...{ buys_since: '2026-03-02T09:01:00.000Z', summed_buys: 4, is_all_summed: true },
    media_buys: counted({ pending: 1, active: 1, completed: 1, canceled: 1 }),
    money: expect.arrayContaining([
      { currency: 'USD', booked: 12_500.5, spent: 205 },
      { currency: 'JPY', booked: 7_000, spent: 0 },
    ]) as object,
  });
  // Its media buys are listed with how each does, by the same figures.
  const { media_buys } = (await operate(agent, 'GET', `/media-buys?organization_id=${String(id)}`)).body as {
    media_buys: { media_buy_id: string }[];
  };
  const row = media_buys.find(({ media_buy_id }) => media_buy_id === running);
  expect(row).toMatchObject({ health: 'ok', spent: 200, flight_at: expect.any(String) as string });
  const list = await (await visitorOf(agent, 'viewer')).get(`/buys?organization_id=${String(id)}`);
  expect(textOf(list.html).replaceAll(/<[^>]*>/g, ' ')).toMatch(/200\.00 USD\s+2 %, \d+ % behind/);
  for (let n = 0; n < 47; n++) await sell({ currency: 'EUR', total_budget_minor: 100 });
  expect(await standing()).toMatchObject({
    ...{ summed_buys: 50, is_all_summed: false, buys_since: '2026-03-02T09:01:00.000Z' },
    media_buys: counted({ pending: 48, active: 1, completed: 1, canceled: 1 }),
    money: expect.arrayContaining([{ currency: 'EUR', booked: 47, spent: 0 }]) as object,
  });
  const page = await (await visitorOf(agent, 'viewer')).get(`/buyers/${String(id)}`);
  expect(page.html).toContain('47.00 EUR');
  expect(page.html).toContain(', by its newest 50 media buys');
  expect((await operate(agent, 'GET', '/buyers/org_none/standing')).status).toBe(404);
});
