import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import { operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { TaskId } from '../../src/platform/task-id.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

describeOnStores('what a buyer of the public protocol is told is so, on %s', (store) => {
  let at: TestAgent;
  let line: Json;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { APPROVAL_OVER: 'USD:50000', CREATIVE_REVIEW_SECONDS: '0' } });
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  async function ask(skill: string, parameters: Json): Promise<Json> {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: '3.1', ...parameters }));
    expect(schemaErrors(skill, '3.1', body)).toEqual([]);
    return body;
  }
  const change = (media_buy_id: unknown, more: Json): Json => ({
    ...{ account: accountOf('acme.example'), media_buy_id, idempotency_key: randomUUID() },
    ...more,
  });
  const rowOf = async (media_buy_id: unknown) =>
    ((await ask('get_media_buys', { media_buy_ids: [media_buy_id] }))['media_buys'] as Json[])[0];

  it('[D3.changes] a buy that no person has granted was never confirmed', async () => {
    const { task_id } = await ask('create_media_buy', orderOf({ ...line, budget: 60_000 }));
    const { rows } = await at.core.approvals.list({}, { limit: 100 });
    const approval = rows.find((one) => one.task_id === task_id);
    expect(await rowOf(approval?.media_buy_id)).toMatchObject({ confirmed_at: null });
    await at.core.approvals.reject(approval?.approval_id ?? '', { by: 'Ada', reason: 'no' });
    await until(async () => (await rowOf(approval?.media_buy_id))?.['status'] === 'rejected');
    expect(await rowOf(approval?.media_buy_id)).toMatchObject({ confirmed_at: null });
    const { media_buy_id } = await ask('create_media_buy', orderOf(line));
    expect(await rowOf(media_buy_id)).toMatchObject({ confirmed_at: expect.any(String) as unknown });
  });

  it('[D3.changes] why a buy was canceled is told with that, to both sides', async () => {
    const reason = 'the launch is off';
    const { media_buy_id } = await ask(
      'create_media_buy',
      orderOf(line, { packages: [{ ...line, measurement_terms: {} }] }),
    );
    const canceled = await ask(
      'update_media_buy',
      change(media_buy_id, { canceled: true, cancellation_reason: ` ${reason} ` }),
    );
    expect(canceled).toMatchObject({ media_buy_status: 'canceled', cancellation: { canceled_by: 'buyer', reason } });
    const row = await rowOf(media_buy_id);
    expect(row).toMatchObject({ status: 'canceled', cancellation: { canceled_by: 'buyer', reason } });
    const { body } = await operate(at, 'GET', `/media-buys/${String(media_buy_id)}`);
    expect(JSON.stringify(body)).toContain(reason);
  });

  it('[D4.refused] the library is told by when it was filled; what it is not kept by is refused by name', async () => {
    const made = async (name: string): Promise<Json> => {
      const sample = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
      const creative_id = `${name}-${randomUUID()}`;
      await ask('sync_creatives', {
        ...{ account: accountOf('acme.example'), idempotency_key: randomUUID() },
        creatives: [{ ...sample.creatives[0], creative_id }],
      });
      const { creatives } = await ask('list_creatives', { filters: { creative_ids: [creative_id] } });
      return (creatives as Json[])[0] ?? {};
    };
    const [first, second] = [await made('first'), await made('second')];
    const listed = async (filters: Json) =>
      ((await ask('list_creatives', { filters }))['creatives'] as Json[]).map(({ creative_id }) => creative_id);
    const [then, later] = [String(first['created_date']), String(second['created_date'])];
    expect(later > then).toBe(true);
    const after = await listed({ created_after: then });
    expect(after).toContain(second['creative_id']);
    expect(after).not.toContain(first['creative_id']);
    const between = await listed({ created_before: later, created_after: '2020-01-01T00:00:00+02:00' });
    expect(between).toContain(first['creative_id']);
    expect(between).not.toContain(second['creative_id']);
    for (const [parameters, field] of [
      [{ filters: { accounts: [{ ...accountOf('acme.example'), currency: 'EUR' }] } }, 'filters.accounts[0].currency'],
      [{ filters: { has_served: false } }, 'filters.has_served'],
      [{ filters: { concept_ids: ['spring'] } }, 'filters.concept_ids'],
      [{ filters: { indicator_types: ['x'] } }, 'filters.indicator_types'],
      [{ sort: { field: 'assignment_count' } }, 'sort.field'],
      [{ sort: { direction: 'up' } }, 'sort.direction'],
    ] as const)
      expect(bodyOf(await callPublic(at, 'list_creatives', { adcp_version: '3.1', ...parameters }))).toMatchObject({
        adcp_error: { code: 'UNSUPPORTED_FEATURE', field },
      });
    expect(await ask('list_creatives', { sort: { field: 'created_date', direction: 'desc' } })).toMatchObject({
      status: 'completed',
    });
    // Of each as much as is asked for, and what each must have.
    const filters = { creative_ids: [String(first['creative_id'])] };
    const [lean = {}] = (await ask('list_creatives', { filters, fields: ['creative_id', 'tags'] }))[
      'creatives'
    ] as Json[];
    const { assets: _assets, assignments: _assignments, ...rest } = first;
    expect(Object.keys(lean).toSorted()).toEqual(Object.keys(rest).toSorted());
    const [assigned] = (await ask('list_creatives', { filters, fields: ['assignments'] }))['creatives'] as Json[];
    expect(assigned).toMatchObject({ assignments: { assignment_count: 0 } });
    expect(assigned).not.toHaveProperty('tags');
  });

  it('[D3.changes] more money may wait for a person, and it is said so', async () => {
    const { available_actions } = await ask('create_media_buy', orderOf(line));
    expect(available_actions).toEqual(
      expect.arrayContaining([
        { action: 'update_budget', mode: 'conditional_self_serve' },
        { action: 'cancel', mode: 'self_serve' },
      ]),
    );
  });

  it('[D4.refused] creatives take even turns: other weights and placements are refused by name, even ones are taken', async () => {
    const sample = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    const [creative] = sample.creatives;
    const account = accountOf('acme.example');
    const ids = ['even-1', 'even-2'] as const;
    const creatives = ids.map((creative_id) => ({ ...creative, creative_id }));
    await ask('sync_creatives', { account, idempotency_key: randomUUID(), creatives });
    const weighed = (...weights: (number | undefined)[]) =>
      weights.map((weight, i) => ({ creative_id: ids[i], ...(weight !== undefined && { weight }) }));
    const made = await ask('create_media_buy', orderOf({ ...line, creative_assignments: weighed(50, 50) }));
    // Without a weight turns are even, and go on being so.
    expect(made).toMatchObject({ packages: [{ creative_assignments: weighed(undefined, undefined) }] });
    const [{ package_id }] = made['packages'] as [{ package_id: string }];
    const changed = (creative_assignments: Json[]) =>
      ask('update_media_buy', change(made['media_buy_id'], { packages: [{ package_id, creative_assignments }] }));
    const synced = (assigned: Json[]) => {
      const assignments = assigned.map((one) => ({ ...one, package_id }));
      return ask('sync_creatives', { account, idempotency_key: randomUUID(), creatives, assignments });
    };
    const uneven: [Json[], string][] = [
      [weighed(70, 30), '[1].weight'],
      [weighed(70, undefined), '[1].weight'],
      [weighed(undefined, 70), '[0].weight'],
      [weighed(0), '[0].weight'],
      [[{ creative_id: ids[0], placement_ids: ['top'] }], '[0].placement_ids'],
    ];
    // Creatives are approved when the ad server has looked at them, which is no change of the package.
    const packages = async () =>
      ((await rowOf(made['media_buy_id']))?.['packages'] as Json[]).map(({ creative_approvals: _, ...rest }) => rest);
    const before = await packages();
    for (const [creative_assignments, field] of uneven) {
      const refusedAt = (path: string) => ({ adcp_error: { code: 'UNSUPPORTED_FEATURE', field: `${path}${field}` } });
      const booked = await ask('create_media_buy', orderOf({ ...line, creative_assignments }));
      expect(booked).toMatchObject(refusedAt('packages[0].creative_assignments'));
      expect(await changed(creative_assignments)).toMatchObject(refusedAt('packages[0].creative_assignments'));
      expect(await synced(creative_assignments)).toMatchObject(refusedAt('assignments'));
      const brought = creative_assignments.map((said) => ({ ...creative, ...said }));
      const bought = await ask('create_media_buy', orderOf({ ...line, creatives: brought }));
      expect(bought).toMatchObject(refusedAt('packages[0].creatives'));
      const sync = { account, idempotency_key: randomUUID(), creatives: brought };
      expect(await ask('sync_creatives', sync)).toMatchObject(refusedAt('creatives'));
    }
    expect(await packages()).toEqual(before);
    expect(await changed(weighed(30))).not.toHaveProperty('adcp_error');
    expect(await synced(weighed(50, 50))).not.toHaveProperty('adcp_error');
    const [told] = await packages();
    expect(told?.['creative_assignments']).toEqual(weighed(undefined, undefined));
  });

  it('[D4] delivery of an account is told whole, however much newer is bought under others', async () => {
    const account = accountOf('quiet.example');
    const quiet = await ask('create_media_buy', orderOf(line, { account }));
    const loud = await ask('create_media_buy', orderOf(line));
    const buy = await at.core.sales.mediaBuys.get(String(loud['media_buy_id']));
    if (buy === undefined) throw new Error('nothing was booked');
    const created_at = new Date(Date.parse(buy.created_at) + 60_000).toISOString();
    for (let i = 0; i < 101; i++) {
      const task_id = TaskId.parse(randomUUID());
      const own = { media_buy_id: MediaBuyId.parse(`mb_${i}`), task_id, buyer_ref: `copy ${i}`, created_at };
      await at.core.sales.mediaBuys.insert({ ...buy, ...own, flight_due_at: null, order_due_at: null });
    }
    const asked = { account, status_filter: 'pending_creatives' };
    const { media_buy_deliveries } = await ask('get_media_buy_delivery', asked);
    expect(media_buy_deliveries).toMatchObject([{ media_buy_id: quiet['media_buy_id'] }]);
    const none = await ask('get_media_buy_delivery', { account, status_filter: ['pending_start'] });
    expect(none).toMatchObject({ media_buy_deliveries: [], aggregated_totals: { media_buy_count: 0 } });
    const all = await ask('get_media_buy_delivery', { status_filter: 'pending_creatives' });
    expect(all).toMatchObject({ errors: [{ code: 'RESULT_TRUNCATED', details: { returned: 100 } }] });
  });

  it('[D4] how many media buys there are on all pages is told exactly, however they stand and are asked for', async () => {
    const account = accountOf('counted.example');
    const ids: unknown[] = [];
    for (let i = 0; i < 3; i++) ids.push((await ask('create_media_buy', orderOf(line, { account })))['media_buy_id']);
    await ask('update_media_buy', change(ids[0], { account, canceled: true }));
    await ask('update_media_buy', change(ids[1], { account, paused: true }));
    const counted = async (asked: Json) => {
      let [pages, seen] = [0, 0];
      const totals = new Set<unknown>();
      for (let cursor: unknown; pages === 0 || cursor !== undefined; pages++) {
        const page = await ask('get_media_buys', { account, ...asked, pagination: { max_results: 1, cursor } });
        const end = page['pagination'] as { cursor?: string; total_count?: number };
        seen += (page['media_buys'] as Json[]).length;
        totals.add(end.total_count);
        cursor = end.cursor;
      }
      expect([...totals]).toEqual([seen]);
      return seen;
    };
    expect(await counted({ status_filter: ['canceled'] })).toBe(1);
    // Paused while it waits, which does not show.
    expect(await counted({ status_filter: 'pending_creatives' })).toBe(2);
    expect(await counted({ status_filter: ['paused', 'pending_start'] })).toBe(0);
    expect(await counted({ status_filter: ['canceled', 'pending_creatives'] })).toBe(3);
    expect(await counted({})).toBe(0);
    expect(await counted({ media_buy_ids: ids })).toBe(3);
    expect(await counted({ media_buy_ids: ids, status_filter: ['canceled'] })).toBe(1);
  });

  it('[D4] how many there are is left out from a thousand on, which nobody waits for to be counted', async () => {
    const account = accountOf('countless.example');
    const { media_buy_id } = await ask('create_media_buy', orderOf(line, { account }));
    await ask('update_media_buy', change(media_buy_id, { account, canceled: true }));
    const { mediaBuys } = at.core.sales;
    const [canceled] = await mediaBuys.getMany([MediaBuyId.parse(media_buy_id)]);
    if (canceled === undefined) throw new Error('the media buy is not stored');
    const copy = () => ({
      ...canceled,
      ...{ media_buy_id: MediaBuyId.parse(`mb_${randomUUID()}`), task_id: TaskId.parse(randomUUID()) },
    });
    const endOf = async () =>
      (await ask('get_media_buys', { account, status_filter: ['canceled'], pagination: { max_results: 1 } }))[
        'pagination'
      ];
    await mediaBuys.insertMany(Array.from({ length: 998 }, copy));
    expect(await endOf()).toMatchObject({ has_more: true, total_count: 999 });
    await mediaBuys.insertMany([copy()]);
    expect(await endOf()).toEqual({ has_more: true, cursor: expect.any(String) as unknown });
  });

  it.each<[string, () => Json | Promise<Json>]>([
    ['create_media_buy', () => orderOf(line, { invoice_recipient: { legal_name: 'Another' } })],
    [
      'update_media_buy',
      async () => {
        const { media_buy_id } = await ask('create_media_buy', orderOf(line));
        return change(media_buy_id, { invoice_recipient: { legal_name: 'Another' } });
      },
    ],
  ])('[D4.refused] %s bills nobody but the account', async (skill, asked) => {
    expect(await ask(skill, await asked())).toMatchObject({
      adcp_error: { code: 'UNSUPPORTED_FEATURE', field: 'invoice_recipient' },
    });
  });
});
