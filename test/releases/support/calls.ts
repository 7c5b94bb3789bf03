import { expect } from 'vitest';
import { ask, post, taskOf } from '../../journeys/support/buyer.ts';
import type { Json } from '../../journeys/support/buyer.ts';
import { operate } from '../../journeys/support/operator.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { until } from '../../support/until.ts';

/** How long anything that is waited for may take, in milliseconds. */
export const WITHIN_MS = 90_000;

export const stateOf = async (agent: TestAgent, id: string) =>
  taskOf(await post(agent, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } }))
    .state.replace('TASK_STATE_', '')
    .toLowerCase()
    .replace('_', '-');

export const reaches = (agent: TestAgent, id: string, state: string) =>
  until(async () => (await stateOf(agent, id)) === state, WITHIN_MS);

export async function everyBuy(agent: TestAgent): Promise<Json[]> {
  const all: Json[] = [];
  for (let cursor: unknown; ;) {
    const page = await ask(agent, 'get_media_buys', { limit: 100, ...(cursor !== undefined && { cursor }) });
    all.push(...(page['media_buys'] as Json[]));
    cursor = page['cursor'] ?? page['next_cursor'];
    if (cursor === undefined) return all;
  }
}

/** What an operator sees in a list, all of it. */
export async function listed(agent: TestAgent, path: string, name: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let cursor = ''; ;) {
    const { status, body } = await operate(agent, 'GET', `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
    expect([path, status]).toEqual([path, 200]);
    all.push(...(body[name] as Json[]));
    const next = body['cursor'];
    if (typeof next !== 'string') return all;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}
