import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/platform/hours.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { createGate } from '../runtime/support/gate.ts';
import { makeBuy, refusal, result } from './support/calls.ts';
import type { Json } from './support/calls.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
});
afterAll(() => agent.stop());

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const line = (product_id: string, pricing_option_id: string, budget: number, more: Json = {}) => ({
  ...{ product_id, pricing_option_id, budget },
  ...more,
});
const TAKEOVER = line('gazette_front_page_takeover', 'takeover_day_usd', 48_000);
const LEDGER = line('ledger_decision_makers', 'dm_fixed_usd', 20_000);
const refused = (changes: Json) => {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  return refusal(agent, 'create_media_buy', { ...example, buyer_ref: `ref-${randomUUID()}`, ...changes });
};

describe('create_media_buy', () => {
  it.each([
    ['asap as an object', () => ({ type: 'asap' }), 0],
    ['asap as text', () => 'asap', 0],
    ['a date as an object', () => ({ type: 'scheduled', datetime: inDays(3) }), 3],
    ['a date as text', () => inDays(3), 3],
    ['a date with another offset', () => inDays(3).replace('Z', '+00:00'), 3],
  ])('[B5] takes a start of %s', async (_what, start_time, days) => {
    const buy = await makeBuy(agent, { start_time: start_time(), end_time: inDays(30) });
    expect(Math.abs(Date.parse(String(buy['start_time'])) - Date.now() - days * DAY_MS)).toBeLessThan(60_000);
    expect(buy['start_time']).toMatch(/Z$/);
  });

  it('asap waits for the lead time of the products, and the buy says that it waits', async () => {
    const buy = await makeBuy(agent, { packages: [LEDGER], start_time: 'asap', end_time: inDays(20) });
    const { lead_time_days = 0 } = agent.core.catalog.products.get('ledger_decision_makers')?.flight ?? {};
    expect(lead_time_days).toBeGreaterThan(0);
    const startMs = Date.parse(String(buy['start_time']));
    expect(startMs - Date.parse(String(buy['created_at']))).toBeGreaterThan(lead_time_days * DAY_MS - 60_000);
    expect(buy).toMatchObject({ status: 'pending' });
  });

  it.each([
    ['start before the lead time', { datetime: 1 }, 6, 'start_time.datetime', /5 days after the order/],
    ['flight over the most days', { datetime: 6 }, 12, 'end_time', /at most 3 days, and this flight has 6 days/],
  ])('refuses a %s, naming the product and what to send', async (_what, { datetime }, end, field, message) => {
    const start_time = { type: 'scheduled', datetime: inDays(datetime) };
    const error = await refused({ packages: [TAKEOVER], start_time, end_time: inDays(end) });
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', field });
    expect(error.message).toMatch(message);
    expect(error.message).toContain('gazette_front_page_takeover');
    expect(error.suggestion).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('[B12] tells every package’s problem and the flight’s in one answer', async () => {
    const packages = [
      { ...TAKEOVER, budget: 0.001 },
      { ...LEDGER, bid_price: 5 },
      line('nope', 'x', 1),
      { ...LEDGER, pricing_option_id: 'dm_fixed' },
    ];
    const error = await refused({ packages, start_time: inDays(10), end_time: inDays(30) });
    expect(error.issues?.map(({ pointer }) => pointer)).toEqual([
      '/packages/0/budget',
      '/packages/1/bid_price',
      '/packages/2/product_id',
      '/packages/3/pricing_option_id',
      '/end_time',
    ]);
  });

  it('update_media_buy keeps to the same limits', async () => {
    const { media_buy_id } = await makeBuy(agent, { packages: [LEDGER], start_time: inDays(5), end_time: inDays(20) });
    const refuse = (updates: Json) => refusal(agent, 'update_media_buy', { media_buy_id, updates });
    expect(await refuse({ end_time: inDays(6) })).toMatchObject({ field: 'updates.end_time' });
    expect(await refuse({ start_time: inDays(0.5) })).toMatchObject({ field: 'updates.start_time' });
    expect(await refuse({ start_time: inDays(19) })).toMatchObject({ field: 'updates.start_time' });
    const updates = { start_time: 'asap', end_time: inDays(10) };
    expect(await result(agent, 'update_media_buy', { media_buy_id, updates })).toMatchObject({ status: 'pending' });
  });

  it('[B1.ad-server] [B2] waits for the ad server until its inventory is held, and every buyer can see it', async () => {
    const buyer_ref = `ref-${randomUUID()}`;
    const gate = createGate();
    const { adServer } = agent.core.sales;
    const put = adServer.put.bind(adServer);
    adServer.put = async (order) => {
      if (order.name === buyer_ref) await gate.pass();
      return put(order);
    };
    const made = makeBuy(agent, { buyer_ref });
    await gate.reached;
    const { media_buys } = await result(agent, 'get_media_buys', { buyer_ref });
    expect(media_buys).toEqual([
      expect.objectContaining({ status: 'pending', pending_reason: 'ad_server', revision: 1 }),
    ]);
    gate.open();
    const buy = await made;
    expect(buy['pending_reason']).not.toBe('ad_server');
    expect(buy).toMatchObject({ revision: 2 });
    adServer.put = put;
  });

  it('[B2] leaves a rejected buy where the ad server refuses it, and its buyer_ref is free again', async () => {
    const buyer_ref = `sim-reject-${randomUUID()}`;
    const answer = { code: 'AD_SERVER_REJECTED', recovery: 'correctable' };
    expect(await refused({ buyer_ref })).toMatchObject(answer);
    expect(await refused({ buyer_ref })).toMatchObject(answer);
    const { media_buys } = await result(agent, 'get_media_buys', { buyer_ref });
    const rejected = expect.objectContaining({ status: 'rejected' }) as Json;
    expect(media_buys).toEqual([rejected, rejected]);
  });

  it('[B7] fifty creates of one buyer_ref without a key, all at once, make one buy', async () => {
    const buyer_ref = `ref-${randomUUID()}`;
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => makeBuy(agent, { buyer_ref })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string }] : []));
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['CONFLICT']));
    const { media_buys } = await result(agent, 'get_media_buys', { buyer_ref });
    expect(media_buys).toHaveLength(1);
  });
});
