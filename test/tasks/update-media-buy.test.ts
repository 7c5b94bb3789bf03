import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { Broken } from '../../src/sales/ad-server/faults.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { currentStatus } from '../../src/runtime/task-run.ts';
import { createGate } from '../runtime/support/gate.ts';
import { organizationId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { begin, BUYER, call, makeBuy, refusal, result, settled, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';
import { LINE } from './support/interrupted-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
  const library = [
    ['banner', 'display_300x250', 'approved'],
    ['film', 'video_15s_16x9', 'approved'],
    ['gone', 'display_300x250', 'archived'],
  ] as const;
  for (const [creative_id, id, status] of library) {
    const mine = { organization_id: organizationId('org_demo_buyer'), creative_id, status };
    const format_id = { agent_url: agent.baseUrl, id };
    await agent.core.sales.creatives.insert(sampleCreative({ ...mine, format_id }));
  }
});
afterAll(() => agent.stop());

const update = (media_buy_id: string, updates: Json, more: Json = {}) =>
  result(agent, 'update_media_buy', { media_buy_id, updates, ...more });
const refused = (media_buy_id: string, updates: Json, more: Json = {}) =>
  refusal(agent, 'update_media_buy', { media_buy_id, updates, ...more });
const stored = async (media_buy_id: string) => {
  const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
  if (buy === undefined) throw new Error('no such buy');
  return buy;
};
const packageIds = (buy: { packages: Json[] }) => buy.packages.map(({ package_id }) => String(package_id));

describe('update_media_buy', () => {
  it('[B6] [C.tasks.update_media_buy] pauses a buy and answers id, status, revision, affected packages and date', async () => {
    const buy = await makeBuy(agent);
    const answer = await update(buy.media_buy_id, { status: 'paused' });
    const { revision, updated_at } = await stored(buy.media_buy_id);
    expect(answer).toEqual({
      media_buy_id: buy.media_buy_id,
      status: 'paused',
      revision: 3,
      affected_packages: packageIds(buy),
      implementation_date: updated_at,
    });
    expect(revision).toBe(3);
  });

  it('[T1] is completed once the ad server holds it, though that states no delivery meanwhile', async () => {
    const { media_buy_id } = await makeBuy(agent);
    const { adServer } = agent.core.sales;
    const statements = adServer.statements.bind(adServer);
    adServer.statements = () => Promise.reject(new Broken('no statement today'));
    try {
      expect(await update(media_buy_id, { status: 'canceled' })).toMatchObject({ status: 'canceled' });
    } finally {
      adServer.statements = statements;
    }
  });

  it('[B6] a signed amount is shared out by the budgets, to the cent; an object goes to one package', async () => {
    const buy = await makeBuy(agent);
    const [first, second] = packageIds(buy);
    await update(buy.media_buy_id, { budget_change: 1000.01 });
    const grown = await stored(buy.media_buy_id);
    expect(grown.total_budget_minor).toBe(Math.round(Number(buy['total_budget']) * 100) + 100_001);
    expect(grown.packages.reduce((sum, line) => sum + line.budget_minor, 0)).toBe(grown.total_budget_minor);
    const answer = await update(buy.media_buy_id, { budget_change: { package_id: second, amount: -500 } });
    expect(answer['affected_packages']).toEqual([second]);
    const after = await stored(buy.media_buy_id);
    expect(after.packages.map(({ budget_minor }) => budget_minor)).toEqual([
      grown.packages[0]?.budget_minor,
      (grown.packages[1]?.budget_minor ?? 0) - 50_000,
    ]);
    expect(first).not.toBe(second);
  });

  it('[B6] changes dates, targeting, and per package budget, targeting, creatives and pause', async () => {
    const buy = await makeBuy(agent);
    const [first, second] = packageIds(buy);
    const end_time = new Date(Date.now() + 20 * 86_400_000).toISOString();
    const answer = await update(buy.media_buy_id, {
      end_time,
      targeting: { geo: { countries: ['CA'] } },
      packages: [
        { package_id: first, budget: 50_000.5, targeting_overlay: { geo: { countries: ['US'] } } },
        { package_id: second, creative_ids: ['banner'], paused: true },
      ],
    });
    expect(answer['affected_packages']).toEqual([first, second]);
    expect(await stored(buy.media_buy_id)).toMatchObject({
      end_time,
      packages: [
        { budget_minor: 5_000_050, targeting_overlay: { geo: { countries: ['US'] } }, paused: false },
        { targeting_overlay: { geo: { countries: ['CA'] } }, creative_ids: ['banner'], paused: true },
      ],
    });
  });

  it('[B2] a buy whose packages get approved creatives becomes active, and is paused and resumed', async () => {
    const buy = await makeBuy(agent);
    const packages = packageIds(buy).map((package_id) => ({ package_id, creative_ids: ['banner'] }));
    expect(await update(buy.media_buy_id, { packages })).toMatchObject({ status: 'active', revision: 3 });
    expect(await update(buy.media_buy_id, { status: 'paused' })).toMatchObject({ status: 'paused', revision: 4 });
    expect(await update(buy.media_buy_id, { status: 'active' })).toMatchObject({ status: 'active', revision: 5 });
    const { history } = await stored(buy.media_buy_id);
    expect(history.map(({ action }) => action)).toEqual(['created', 'updated', 'activated', 'paused', 'resumed']);
  });

  it('[B2] a terminal buy is frozen: INVALID_STATE, and NOT_CANCELLABLE for canceling a canceled one', async () => {
    const { media_buy_id } = await makeBuy(agent);
    expect(await update(media_buy_id, { status: 'canceled' })).toMatchObject({ status: 'canceled' });
    expect(await refused(media_buy_id, { status: 'canceled' })).toMatchObject({ code: 'NOT_CANCELLABLE' });
    expect(await refused(media_buy_id, { status: 'paused' })).toMatchObject({ code: 'INVALID_STATE' });
    expect(await refused(media_buy_id, { budget_change: 5 })).toMatchObject({ code: 'INVALID_STATE' });
  });

  it('[B2] pausing what is paused answers INVALID_STATE, and a package without a change INVALID_REQUEST', async () => {
    const buy = await makeBuy(agent);
    const { media_buy_id } = buy;
    await update(media_buy_id, { status: 'paused' });
    expect(await refused(media_buy_id, { status: 'paused' })).toMatchObject({
      code: 'INVALID_STATE',
      field: 'updates.status',
      message: expect.stringContaining('is paused already') as string,
    });
    expect(await refused(media_buy_id, { packages: [{ package_id: packageIds(buy)[0] }] })).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'updates.packages[0]',
    });
    expect((await stored(media_buy_id)).revision).toBe(3);
  });

  it('[B2] a stale revision answers CONFLICT, at once or when another update was quicker', async () => {
    const { media_buy_id } = await makeBuy(agent);
    const runs = await Promise.all(
      ['paused', 'paused'].map((status) =>
        begin(agent, 'update_media_buy', { media_buy_id, revision: 2, updates: { status } }).catch(() => undefined),
      ),
    );
    const taken = runs.filter((run) => run !== undefined);
    const ends = await Promise.all(taken.map(({ task_id }) => settled(agent, task_id)));
    expect(ends.filter(({ state }) => state === 'completed')).toHaveLength(1);
    expect(await refused(media_buy_id, { targeting: {} }, { revision: 2 })).toMatchObject({
      code: 'CONFLICT',
      field: 'revision',
      details: { revision: 3 },
    });
  });

  it('[B7] the same key and request change the buy once', async () => {
    const { media_buy_id } = await makeBuy(agent);
    const input = { media_buy_id, updates: { budget_change: 100 }, idempotency_key: `change-${media_buy_id}` };
    const runs = await Promise.all(Array.from({ length: 10 }, () => call(agent, 'update_media_buy', input)));
    expect(new Set(runs.map(({ task_id }) => task_id)).size).toBe(1);
    expect((await stored(media_buy_id)).revision).toBe(3);
  });

  it('many changes at once all take hold, one after the other', async () => {
    const buy = await makeBuy(agent);
    const before = (await stored(buy.media_buy_id)).total_budget_minor;
    await Promise.all(Array.from({ length: 12 }, () => update(buy.media_buy_id, { budget_change: 10.01 })));
    const { total_budget_minor, revision } = await stored(buy.media_buy_id);
    expect(total_budget_minor).toBe(before + 12 * 1001);
    expect(revision).toBe(14);
  });

  it('[T1] a pause waits for no change before it: the ad server is told, and the change takes hold behind it', async () => {
    const buy = await makeBuy(agent, { packages: [{ ...LINE, creative_ids: ['banner'] }], start_time: 'asap' });
    const { media_buy_id } = buy;
    const before = (await stored(media_buy_id)).total_budget_minor;
    const gate = createGate();
    const { adServer } = agent.core.sales;
    const put = adServer.put.bind(adServer);
    const states: string[] = [];
    adServer.put = async (order) => {
      if (order.media_buy_id === media_buy_id) states.push(order.state);
      if (states.length === 1) await gate.pass();
      return put(order);
    };
    try {
      const raise = await begin(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: 100 } });
      await gate.reached;
      const pause = await begin(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
      const says = async () => currentStatus(await agent.core.runtime.read(BUYER, pause.task_id)).message;
      await until(async () => states.length > 1 || (await says()) === 'waiting for the ad server');
      expect(states.slice(0, 2)).toEqual(['running', 'paused']);
      gate.open();
      expect((await settled(agent, pause.task_id)).state).toBe('completed');
      expect((await settled(agent, raise.task_id)).state).toBe('completed');
      expect(await stored(media_buy_id)).toMatchObject({ status: 'paused', total_budget_minor: before + 10_000 });
    } finally {
      gate.open();
      adServer.put = put;
    }
  });

  it('[T2.wait] behind another change that is being told, a change waits for a moment, and not for the ad server', async () => {
    const { media_buy_id } = await makeBuy(agent, { packages: [{ ...LINE, creative_ids: ['banner'] }] });
    const gate = createGate();
    const { adServer } = agent.core.sales;
    const put = adServer.put.bind(adServer);
    adServer.put = async (order) => {
      if (order.media_buy_id === media_buy_id) await gate.pass();
      return put(order);
    };
    try {
      const raise = () => begin(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: 100 } });
      const first = await raise();
      await gate.reached;
      const second = await raise();
      const row = () => agent.core.runtime.read(BUYER, second.task_id);
      await until(async () => (await row()).waits_for !== undefined);
      expect(await row()).toMatchObject({ state: 'working', waits_for: null });
      expect(currentStatus(await row()).message).toBe('waiting for the ad server');
      gate.open();
      for (const { task_id } of [first, second]) expect((await settled(agent, task_id)).state).toBe('completed');
    } finally {
      gate.open();
      adServer.put = put;
    }
  });

  it('[B13] [T5] names unknown buys, packages and creatives by their place; another’s buy is unknown', async () => {
    const { media_buy_id, ...buy } = await makeBuy(agent);
    const [package_id] = packageIds(buy);
    const notFound = { code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_id' };
    expect(await refused('mb_nope', { status: 'paused' })).toMatchObject(notFound);
    const input = { media_buy_id, updates: { status: 'paused' } };
    expect(await refusal(agent, 'update_media_buy', input, STRANGER)).toMatchObject(notFound);
    expect(
      await refused(media_buy_id, { packages: [{ package_id, paused: true }, { package_id: 'x' }] }),
    ).toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      field: 'updates.packages[1].package_id',
    });
    expect(await refused(media_buy_id, { budget_change: { package_id: 'x', amount: 1 } })).toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      field: 'updates.budget_change.package_id',
    });
    expect(await refused(media_buy_id, { packages: [{ package_id, creative_ids: ['banner', 'y'] }] })).toMatchObject({
      code: 'CREATIVE_NOT_FOUND',
      field: 'updates.packages[0].creative_ids[1]',
    });
  });

  it('[B6.creatives] checks the creatives of a package as on create: refused by path, and nothing is changed', async () => {
    const buy = await makeBuy(agent);
    const [first, second] = packageIds(buy);
    const packages = [
      { package_id: first, creative_ids: ['banner'] },
      { package_id: second, creative_ids: ['banner', 'film', 'gone'] },
    ];
    expect(await refused(buy.media_buy_id, { budget_change: 100, packages })).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'updates.packages[1].creative_ids[1]',
      suggestion: expect.stringContaining('display_300x250') as string,
      issues: [
        { pointer: '/updates/packages/1/creative_ids/1', message: expect.stringContaining('does not take') as string },
        { pointer: '/updates/packages/1/creative_ids/2', message: expect.stringContaining('archived') as string },
      ],
    });
    expect(await stored(buy.media_buy_id)).toMatchObject({
      status: 'pending',
      revision: 2,
      packages: [{ creative_ids: [] }, { creative_ids: [] }],
    });
  });

  it.each([
    [{ stauts: 'paused' }, 'VALIDATION_ERROR', 'updates.stauts'],
    [{}, 'INVALID_REQUEST', 'updates'],
    [{ status: 'canceled', budget_change: 5 }, 'INVALID_REQUEST', 'updates.status'],
    [{ budget_change: 0 }, 'INVALID_REQUEST', 'updates.budget_change'],
    [{ budget_change: 1.005 }, 'INVALID_REQUEST', 'updates.budget_change'],
    [{ budget_change: -10_000_000 }, 'BUDGET_TOO_LOW', 'updates.budget_change'],
    [{ end_time: '2020-01-01T00:00:00Z' }, 'INVALID_REQUEST', 'updates.end_time'],
    [{ end_time: '2020-01-01T00:00:00' }, 'VALIDATION_ERROR', 'updates.end_time'],
    [{ start_time: 'asap' }, 'INVALID_REQUEST', 'updates.start_time'],
    [{ status: 'active' }, 'INVALID_STATE', 'updates.status'],
    [{ reporting_webhook: {} }, 'VALIDATION_ERROR', 'updates.reporting_webhook.url'],
  ])('[B6] refuses %j as %s at %s', async (updates, code, field) => {
    const { media_buy_id } = await makeBuy(agent);
    expect(await refused(media_buy_id, updates)).toMatchObject({ code, field });
    expect((await stored(media_buy_id)).revision).toBe(2);
  });
});
