import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import express from 'express';
import { createAdServerSimulator } from '../../src/adservers/simulator/ad-server-simulator.ts';
import { createSimulatorApp } from '../../src/adservers/simulator-http/simulator-app.ts';
import { HOUR_MS } from '../../src/platform/hours.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { OPENS_AFTER, PROBE_EVERY_MS } from '../../src/sales/ad-order/breaker.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { recheckMediaBuy } from '../../src/sales/media-buy/recheck.ts';
import { mediaBuyIdOf } from '../../src/tasks/create-media-buy/new-media-buy.ts';
import { serveApp, silent, TOKEN } from '../adservers/http/support/bridge.ts';
import { installation } from '../directory/support/installation.ts';
import type { Installation } from '../directory/support/installation.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { BUYER } from './support/calls.ts';
import type { Json } from './support/calls.ts';
import { LINE, takeOwedTurn } from './support/interrupted-agent.ts';

let there: Installation;
let agent: TestAgent;
afterAll(async () => {
  await agent.stop();
  await there.close();
});
let simulator: ReturnType<typeof createAdServerSimulator>;
/** While true, everything is answered 503 there, and noted. */
let isAway = false;
const asked: string[] = [];

beforeAll(async () => {
  there = await installation([]);
  const { store, clock } = there;
  simulator = createAdServerSimulator({ store, clock });
  await store.prepare();
});

const submit = (task_type: string, input: Json) => agent.core.runtime.submit({ caller: BUYER, task_type, input });
const update = (media_buy_id: string, updates: Json, more: Json = {}) => ({
  task_type: 'update_media_buy',
  input: { media_buy_id, updates, ...more },
});
function create(creative_ids = ['banner']) {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  const packages = [{ ...LINE, creative_ids }];
  const input = { ...example, buyer_ref: `campaign-${randomUUID()}`, packages, start_time: 'asap' };
  return { task_type: 'create_media_buy', input };
}

it('[T1.no-return] [T1.less-first] [B2.revision] [B7.effect] [T2.wait] an outage of 26 hours ends nothing: what was asked for is the same task at hour 25, and is told afterwards, stops first', async () => {
  const app = createSimulatorApp(simulator, { token: TOKEN, log: silent });
  const url = await serveApp(
    express().use((request, response, next) => {
      if (!isAway) {
        next();
        return;
      }
      asked.push(`${request.method} ${request.path}`);
      response.sendStatus(503);
    }, app),
  );
  const { clock } = there;
  const env = { AD_SERVER: 'http', AD_SERVER_URL: url, AD_SERVER_TOKEN: TOKEN };
  agent = await startTestAgent('sqlite', { env, working: false, clock });
  const { core } = agent;
  const { courier, breaker, creatives, mediaBuys, orders } = core.sales;
  const format_id = { agent_url: agent.baseUrl, id: 'display_300x250' };
  const { organization_id } = BUYER;
  const ofBuyer = { organization_id, format_id };
  await creatives.insert(sampleCreative({ ...ofBuyer, creative_id: 'banner', status: 'approved' }));
  const reviewed = sampleCreative({ ...ofBuyer, creative_id: 'reviewed', status: 'processing' });
  await creatives.insert(reviewed);
  const turn = async ({ task_id }: TaskRun) => {
    await takeOwedTurn(core, task_id);
    const run = await core.store.collection(TaskRuns).get(task_id);
    if (run === undefined) throw new Error('the task is gone');
    return run;
  };

  /** The ad server is to learn of one more creative; no buyer sees the media buy changed by that. */
  const showOneMore = async (media_buy_id: MediaBuyId) => {
    await creatives.update(reviewed.creative_key, (row) => ({ ...row, status: 'approved' }));
    await recheckMediaBuy(core.sales, media_buy_id);
    expect((await mediaBuys.get(media_buy_id))?.open_change?.kind).toBe('system');
  };

  const [raised, cut, paused, shows] = await Promise.all(
    [['banner'], ['banner'], ['banner'], ['banner', 'reviewed']].map(async (creative_ids) => {
      const { task_type, input } = create(creative_ids);
      const { run } = await submit(task_type, input);
      expect((await turn(run)).state).toBe('completed');
      return mediaBuyIdOf(run.task_id);
    }),
  );
  isAway = true;
  const showing = MediaBuyId.parse(shows);
  const { revision } = (await mediaBuys.get(showing)) ?? expect.unreachable();
  const requests = [
    ...Array.from({ length: OPENS_AFTER }, () => create()),
    update(raised ?? '', { budget_change: 100 }),
    update(cut ?? '', { budget_change: -500 }),
    update(paused ?? '', { status: 'paused' }),
    update(showing, { budget_change: 200 }, { revision }),
  ].map(({ task_type, input }): { task_type: string; input: Json } => ({
    task_type,
    input: { ...input, idempotency_key: randomUUID() },
  }));
  const runs: TaskRun[] = [];
  for (const { task_type, input } of requests) {
    if (input['media_buy_id'] === showing) await showOneMore(showing);
    const { run } = await submit(task_type, input);
    runs.push(run);
    expect(await turn(run)).toMatchObject({ state: 'working', waits_for: 'ad_server' });
  }
  expect(await orders.states()).toMatchObject([{ state: 'open', orders_waiting: runs.length }]);
  asked.length = 0;

  for (const hour of [1, 6, 23, 25, 26]) {
    clock.advance(Math.max(0, beganAt(runs) + hour * HOUR_MS - clock.now()));
    await breaker.probeDue();
    await courier.tellDue();
    for (const run of runs) expect((await turn(run)).state).toBe('working');
    if (hour !== 25) continue;
    for (const [i, { task_type, input }] of requests.entries()) {
      const again = await submit(task_type, input);
      expect([again.replayed, again.run.task_id]).toEqual([true, runs[i]?.task_id]);
    }
  }
  expect(new Set(asked)).toEqual(new Set(['GET /v1/description']));

  isAway = false;
  await simulator.controls.take({ reset: true });
  clock.advance(PROBE_EVERY_MS);
  // A turn that comes first tells nothing either.
  for (const run of runs) await turn(run);
  await breaker.probeDue();
  for (const run of runs.slice(0, OPENS_AFTER + 1)) await turn(run);
  for (let n = 0; n < 5; n++) await courier.tellDue();
  for (const run of runs) expect((await turn(await turn(run))).state).toBe('completed');
  const puts = simulator.controls
    .calls()
    .calls.flatMap(({ method, media_buy_id }) => (method === 'put' ? [media_buy_id] : []));
  // What shows more is neither less nor more of anybody's money: it may go before a cut.
  expect(puts.filter((id) => id !== showing).slice(0, 2)).toEqual([paused, cut]);
  const created = runs.slice(0, OPENS_AFTER).map(({ task_id }) => mediaBuyIdOf(task_id));
  expect(simulator.controls.calls().creates).toMatchObject({ orders: OPENS_AFTER });
  for (const [id, state, budget] of [
    ...created.map((media_buy_id) => [media_buy_id, 'running', 500_000] as const),
    [raised, 'running', 510_000] as const,
    [cut, 'running', 450_000] as const,
    [paused, 'paused', 500_000] as const,
    [showing, 'running', 520_000] as const,
  ]) {
    const media_buy_id = MediaBuyId.parse(id);
    const buy = await mediaBuys.get(media_buy_id);
    expect(buy).toMatchObject({ total_budget_minor: budget, open_change: null, held: { state } });
    expect(await simulator.read(media_buy_id)).toMatchObject({ state, version: buy?.held?.version });
  }
});

function beganAt([first]: readonly TaskRun[]): number {
  return Date.parse(first?.created_at ?? '');
}
