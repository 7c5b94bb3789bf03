import { afterEach, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/hours.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { exampleCreative } from '../../src/sales/creative/example-creative.ts';
import { modernRequest } from '../mcp/support/modern-request.ts';
import { mediaBuyId, taskId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { ask, errorOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const BOOKED_MS = Date.parse('2041-05-07T09:17:23.456Z');
const clock = {
  nowMs: BOOKED_MS,
  now() {
    return this.nowMs;
  },
};

describeOnStores('a budget that is cut within an hour of the last report, on %s', (store) => {
  it('[B6.cuts] [I7] is refused below what is spent by then, with the least that passes; that one passes, and is never overspent', async () => {
    clock.nowMs = BOOKED_MS;
    const agent = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' }, clock });
    cleanUp.push(() => agent.stop());
    const format = [...agent.core.catalog.formats.values()].find(({ format_id }) => format_id.id === 'ctv_15s');
    if (format === undefined) throw new Error('the catalog has no ctv_15s');
    const line = {
      ...{ product_id: 'ctv_run_of_service', pricing_option_id: 'ctv_ros_fixed_usd', budget: 200_000 },
      creatives: [exampleCreative(format, 'spot', 'Spot')],
    };
    const start_time = toTimestamp(BOOKED_MS + 3 * DAY_MS);
    const end_time = toTimestamp(BOOKED_MS + 9 * DAY_MS);
    const made = await ask(agent, 'create_media_buy', mediaBuyInput(agent, { packages: [line], start_time, end_time }));
    const { media_buy_id, packages } = made as Json & { media_buy_id: string; packages: { package_id: string }[] };
    const buys = agent.core.sales.mediaBuys;
    const flights = agent.core.sales.flights;
    const goTo = async (ms: number) => {
      clock.nowMs = ms;
      const hour = toTimestamp(Math.floor(ms / HOUR_MS) * HOUR_MS);
      await until(async () => {
        // Two workers at one flight may each leave it to the other, which is over after 30 s.
        clock.nowMs += 1_000;
        return ((await flights.get(mediaBuyId(media_buy_id)))?.recorded_until ?? '') >= hour;
      });
    };
    const spent = async () => {
      const told = await ask(agent, 'get_media_buy_delivery', { media_buy_id });
      return (told['delivery'] as { spend: number }).spend;
    };
    const cutTo = (budget: number) =>
      ask(agent, 'update_media_buy', {
        ...{ media_buy_id, updates: { packages: [{ package_id: packages[0]?.package_id, budget }] } },
      });
    clock.nowMs = BOOKED_MS + 3 * DAY_MS;
    await until(async () => {
      clock.nowMs += 1_000;
      return (await buys.get(media_buy_id))?.status === 'active';
    });
    await goTo(BOOKED_MS + 3 * DAY_MS + 30 * HOUR_MS);
    const reported = await spent();
    expect(reported).toBeGreaterThan(10_000);
    clock.nowMs += HOUR_MS / 2;
    const refusal = await cutTo(Math.ceil(reported) + 0.01).then(() => 'taken', String);
    expect(refusal).toContain('BUDGET_TOO_LOW');
    const least = Number(/"least_budget":([\d.]+)/.exec(refusal)?.[1]);
    expect(least).toBeGreaterThan(reported);
    expect((await buys.get(media_buy_id))?.total_budget_minor).toBe(20_000_000);
    await cutTo(least);
    expect((await buys.get(media_buy_id))?.total_budget_minor).toBe(Math.round(least * 100));
    clock.nowMs += HOUR_MS;
    await until(async () => {
      clock.nowMs += 1_000;
      return (await buys.get(media_buy_id))?.status === 'completed';
    });
    expect(await spent()).toBeLessThanOrEqual(least);
    expect(await spent()).toBeGreaterThanOrEqual(reported);
  });
});

describe('a budget that is cut at an ad server that takes any', () => {
  it('[B6.cuts] [T1.no-return] [D9.tasks] waits half an hour for what was spent, can not be canceled meanwhile, and takes hold', async () => {
    clock.nowMs = BOOKED_MS;
    const env = { CREATIVE_REVIEW_SECONDS: '0', SIM_BUDGET_CUT: 'after_pause' };
    const agent = await startTestAgent('sqlite', { env, clock });
    cleanUp.push(() => agent.stop());
    const format = [...agent.core.catalog.formats.values()].find(({ format_id }) => format_id.id === 'ctv_15s');
    if (format === undefined) throw new Error('the catalog has no ctv_15s');
    const line = {
      ...{ product_id: 'ctv_run_of_service', pricing_option_id: 'ctv_ros_fixed_usd', budget: 200_000 },
      creatives: [exampleCreative(format, 'spot', 'Spot')],
    };
    const [start_time, end_time] = [toTimestamp(BOOKED_MS + 3 * DAY_MS), toTimestamp(BOOKED_MS + 9 * DAY_MS)];
    const made = await ask(agent, 'create_media_buy', mediaBuyInput(agent, { packages: [line], start_time, end_time }));
    const { media_buy_id, packages } = made as Json & { media_buy_id: string; packages: { package_id: string }[] };
    const buys = agent.core.sales.mediaBuys;
    clock.nowMs = BOOKED_MS + 4 * DAY_MS;
    await until(async () => {
      clock.nowMs += 1_000;
      return (await buys.get(media_buy_id))?.status === 'active';
    });
    const updates = { packages: [{ package_id: packages[0]?.package_id, budget: 150_000 }] };
    const { id } = taskOf(await send(agent, 'update_media_buy', { media_buy_id, updates }));
    const counting = await until(async () => {
      const { open_change } = (await buys.get(media_buy_id)) ?? {};
      return open_change?.order === null && open_change.cut;
    });
    expect(counting).toMatchObject({ package_ids: [packages[0]?.package_id] });
    const canceled = await post(agent, { jsonrpc: '2.0', id: 1, method: 'CancelTask', params: { id } });
    expect(errorOf(canceled)).toMatchObject({ code: 'NOT_CANCELLABLE' });
    // Over MCP, too, which says since when, and goes on telling of the task.
    const { error } = await modernRequest(agent, 'tasks/cancel', { taskId: id });
    const { committed_at: since } = (await agent.core.store.collection(TaskRuns).get(taskId(id))) ?? {};
    expect(error?.data).toMatchObject({ error: { code: 'NOT_CANCELLABLE', details: { since } } });
    const { result: going } = await modernRequest(agent, 'tasks/get', { taskId: id });
    expect([typeof since, going?.['status']]).toEqual(['string', 'working']);
    const [seen] = (await ask(agent, 'get_media_buys', { media_buy_ids: [media_buy_id] }))['media_buys'] as Json[];
    expect(seen).toMatchObject({ total_budget: 200_000, pending_change: { task_id: id } });
    clock.nowMs += HOUR_MS / 2 + 60_000;
    await until(async () => {
      clock.nowMs += 1_000;
      return (await buys.get(media_buy_id))?.total_budget_minor === 15_000_000;
    });
    const task = await until(async () => {
      const read = await post(agent, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
      return taskOf(read).state === 'TASK_STATE_COMPLETED' && taskOf(read);
    });
    expect(task.id).toBe(id);
    expect((await modernRequest(agent, 'tasks/get', { taskId: id })).result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { status: 'completed' } },
    });
  });
});
