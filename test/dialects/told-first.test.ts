import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { modernRequest } from '../mcp/support/modern-request.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';
import type { Release, ShownTask } from './support/public-call.ts';

type Call = (at: TestAgent, skill: string, parameters: Json) => Promise<Json>;

const overA2a: Call = async (at, skill, parameters) => bodyOf(await callPublic(at, skill, parameters));
const overMcp: Call = async (at, skill, parameters) => {
  const { result, text } = await modernRequest(at, 'tools/call', { name: skill, arguments: parameters }, {});
  return (result?.['structuredContent'] ?? expect.unreachable(text)) as Json;
};

const WIRES = [
  ['A2A', overA2a],
  ['MCP', overMcp],
] as const;
const CASES = WIRES.flatMap(([wire, call]) =>
  (['3.0', '3.1', '3.2'] as const).map((one) => [wire, one, call] as const),
);

describeOnStores('[D3.changes] a repeat is told what was told first, on %s,', (store) => {
  let at: TestAgent;
  let line: Json;
  const account = accountOf('acme.example');

  beforeAll(async () => {
    at = await startTestAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } });
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  async function ask(call: Call, release: Release, skill: string, parameters: Json): Promise<Json> {
    const body = await call(at, skill, { adcp_version: release, ...parameters });
    expect(schemaErrors(skill, release, body)).toEqual([]);
    expect(body).not.toHaveProperty('adcp_error');
    return body;
  }

  const change = (media_buy_id: unknown, more: Json): Json => ({
    ...{ account, media_buy_id, idempotency_key: randomUUID() },
    ...more,
  });

  it.each(CASES)('over %s in %s, whatever has become of the media buy', async (_wire, release, call) => {
    const order = orderOf(line);
    const booked = await ask(call, release, 'create_media_buy', { ...order, context: { n: 1 } });
    const { media_buy_id } = booked;
    const [{ package_id } = { package_id: '' }] = booked['packages'] as { package_id: string }[];
    const asIs = change(media_buy_id, { paused: false });
    const nothing = await ask(call, release, 'update_media_buy', asIs);
    expect(nothing).toMatchObject({ affected_packages: [], revision: booked['revision'] });
    const cut = change(media_buy_id, { packages: [{ package_id, budget: 15_000 }] });
    const smaller = await ask(call, release, 'update_media_buy', cut);
    expect(smaller).toMatchObject({ total_budget: 15_000 });
    const canceled = await ask(call, release, 'update_media_buy', change(media_buy_id, { canceled: true }));
    expect(canceled).toMatchObject({ media_buy_status: 'canceled' });

    const again = await ask(call, release, 'create_media_buy', { ...order, context: { n: 2 } });
    expect(again).toEqual({ ...booked, replayed: true, context: { n: 2 } });
    expect(await ask(call, release, 'update_media_buy', asIs)).toEqual({ ...nothing, replayed: true });
    expect(await ask(call, release, 'update_media_buy', cut)).toEqual({ ...smaller, replayed: true });
  });

  it('and so is who reads the task again in that release', async () => {
    const task = await callPublic(at, 'create_media_buy', { adcp_version: '3.1', ...orderOf(line) });
    const booked = bodyOf(task);
    await ask(overA2a, '3.1', 'update_media_buy', change(booked['media_buy_id'], { canceled: true }));
    const shown = await post(at, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task.id } });
    expect(bodyOf(shown.result as unknown as ShownTask)).toEqual(booked);
    const polled = await ask(overMcp, '3.1', 'get_task_status', { task_id: task.id, include_result: true });
    const { media_buy_status, revision } = booked;
    expect(polled['result']).toMatchObject({ media_buy_status, revision });
  });

  it('in another release it is told in its words, of the same media buy', async () => {
    const order = orderOf(line);
    const booked = await ask(overA2a, '3.0', 'create_media_buy', order);
    const again = await ask(overMcp, '3.1', 'create_media_buy', order);
    expect(again).toMatchObject({ media_buy_id: booked['media_buy_id'], status: 'completed', replayed: true });
  });
});
