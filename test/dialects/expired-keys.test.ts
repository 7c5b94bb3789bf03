import { afterAll, beforeAll, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { HOUR_MS } from '../../src/platform/hours.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { ask as askOwn, mediaBuyInput } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

describeOnStores('[D2.expired] a key of the public protocol that comes again late, on %s', (store) => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  let at: TestAgent;
  let line: Json;
  const account = accountOf('acme.example');
  const expired = { code: 'IDEMPOTENCY_EXPIRED', field: 'idempotency_key', recovery: 'correctable' };

  beforeAll(async () => {
    at = await startTestAgent(store, { clock, env: { CREATIVE_REVIEW_SECONDS: '0' } });
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  const later = (hours: number) => (ahead += hours * HOUR_MS);
  const buys = () => at.core.sales.mediaBuys.count({});

  async function ask(skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: '3.1', ...parameters }));
    expect(schemaErrors(skill, '3.1', body)).toEqual([]);
    return body;
  }
  const change = (media_buy_id: unknown, more: Json): Json => ({
    ...{ account, media_buy_id, idempotency_key: randomUUID() },
    ...more,
  });

  it('is expired, whether the media buy is open or over, and books nothing anew', async () => {
    const order = orderOf(line);
    const { media_buy_id } = await ask('create_media_buy', order);
    later(23);
    expect(await ask('create_media_buy', order)).toMatchObject({ replayed: true, media_buy_id });
    later(2);
    const booked = await buys();
    const told = await ask('create_media_buy', order);
    expect(told).toMatchObject({ adcp_error: expired });
    expect(JSON.stringify(told)).not.toContain('adcp-');
    await ask('update_media_buy', change(media_buy_id, { canceled: true }));
    expect(await ask('create_media_buy', order)).toMatchObject({ adcp_error: expired });
    expect(await ask('create_media_buy', { ...order, po_number: '2' })).toMatchObject({ adcp_error: expired });
    expect(await buys()).toBe(booked);
    expect(await ask('create_media_buy', { ...order, idempotency_key: randomUUID() })).toHaveProperty('media_buy_id');
  });

  it('is expired for a change, which is not made again', async () => {
    const { media_buy_id } = await ask('create_media_buy', orderOf(line));
    const pause = change(media_buy_id, { paused: true });
    await ask('update_media_buy', pause);
    await ask('update_media_buy', change(media_buy_id, { paused: false }));
    later(25);
    // What its flight does meanwhile is no change of it.
    const seen = async () => {
      const buy = await at.core.sales.mediaBuys.get(String(media_buy_id));
      return { ...buy, row_version: 0, flight: null, flight_due_at: null };
    };
    const before = await seen();
    expect(await ask('update_media_buy', pause)).toMatchObject({ adcp_error: expired });
    expect(await seen()).toEqual(before);
  });

  it('is expired where the task is gone and its media buy is open', async () => {
    const order = orderOf(line);
    const task = await callPublic(at, 'create_media_buy', { adcp_version: '3.1', ...order });
    expect(await at.core.store.collection(TaskRuns).delete(task.id)).toBe(true);
    const told = await ask('create_media_buy', order);
    expect(told).toMatchObject({ adcp_error: expired });
    expect(JSON.stringify(told)).not.toContain('adcp-');
  });

  it('is free where its request had no effect; and in our own words it is free after 24 hours', async () => {
    const order = orderOf(line);
    const nothing = { ...order, packages: [{ ...line, product_id: 'none' }] };
    expect(await ask('create_media_buy', nothing)).toMatchObject({ adcp_error: { code: 'PRODUCT_NOT_FOUND' } });
    later(25);
    expect(await ask('create_media_buy', order)).toHaveProperty('media_buy_id');
    const own = mediaBuyInput(at, { idempotency_key: randomUUID(), buyer_ref: randomUUID() });
    const first = await askOwn(at, 'create_media_buy', own);
    later(25);
    const second = await askOwn(at, 'create_media_buy', { ...own, buyer_ref: randomUUID() });
    expect(second['media_buy_id']).not.toBe(first['media_buy_id']);
  });
});
