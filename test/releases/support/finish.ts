import { expect } from 'vitest';
import { ask, post } from '../../journeys/support/buyer.ts';
import type { Json } from '../../journeys/support/buyer.ts';
import { operate } from '../../journeys/support/operator.ts';
import { until } from '../../support/until.ts';
import { expectAsPromised, keyOf } from './arrivals.ts';
import { everyBuy, listed, reaches, WITHIN_MS } from './calls.ts';
import type { OldAgent } from './old-agent.ts';

/** People do what the release left to them. */
export async function decideWhatWaits(agent: OldAgent): Promise<void> {
  const { pending, asked, unheard, update } = agent.promises.approvals;
  const approve = async (approval_id: string) => {
    const { status } = await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    expect(status).toBe(200);
  };
  await approve(pending.approval_id);
  const message = { messageId: 'an-answer', taskId: asked.task_id, role: 'ROLE_USER', parts: [{ text: 'this one' }] };
  const params = { message, configuration: { returnImmediately: true } };
  await post(agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
  await until(async () => {
    const { body } = await operate(agent, 'GET', `/approvals/${asked.approval_id}`);
    return body['status'] === 'pending';
  }, WITHIN_MS);
  await approve(asked.approval_id);
  const waiting = await listed(agent, '/approvals', 'approvals');
  const ofUpdate = waiting.find((one) => one['task_id'] === update);
  await approve(String(ofUpdate?.['approval_id']));
  for (const id of [pending.task_id, asked.task_id, unheard.task_id, update]) await reaches(agent, id, 'completed');
}

/** Every task that had a turn to come comes to its end. */
export async function expectTurnsTaken({ promises, ...agent }: OldAgent): Promise<void> {
  const owed = promises.tasks.filter(({ is_turn_owed, is_untold }) => is_turn_owed || is_untold);
  expect(owed.length).toBeGreaterThanOrEqual(5);
  for (const { task_id } of owed) await reaches(agent, task_id, 'completed');
}

/** The first arrival of each key, and how often it came. */
function byKey(agent: OldAgent) {
  const keys = new Map<string, { copies: number; arrival: OldAgent['received'][number] }>();
  for (const arrival of agent.received) {
    const known = keys.get(keyOf(arrival));
    keys.set(keyOf(arrival), { copies: (known?.copies ?? 0) + 1, arrival: known?.arrival ?? arrival });
  }
  return keys;
}

/**
 * Everything owed arrives, once, under its old key with its old bytes. A Redis of the
 * time may hold one attempt in both lanes: then both may make it at the same moment.
 */
export async function expectOwedArrives(agent: OldAgent, withRedis: boolean): Promise<void> {
  const { deliveries, unsent } = agent.promises;
  const paused = (await operate(agent, 'GET', '/webhooks/destinations')).body['destinations'] as Json[];
  for (const { destination } of paused.filter((one) => one['is_paused'] === true)) {
    await operate(agent, 'POST', `/webhooks/destinations/${encodeURIComponent(String(destination))}/resume`, {});
  }
  // The refused ones are owed, too: an operator had asked for them when the release was killed.
  const owed = deliveries.filter(({ state }) => state === 'pending' || state === 'rejected');
  const keys = [...owed, ...unsent].map(({ idempotency_key }) => idempotency_key);
  await until(() => keys.every((key) => byKey(agent).has(key)), WITHIN_MS).catch(() => {
    const missing = [...owed, ...unsent].filter(({ idempotency_key }) => !byKey(agent).has(idempotency_key));
    expect(missing).toEqual([]);
  });
  const arrived = byKey(agent);
  for (const promised of owed) {
    const { arrival, copies } = arrived.get(promised.idempotency_key) ?? {};
    if (arrival !== undefined) expectAsPromised(arrival, promised);
    expect(copies).toBeGreaterThanOrEqual(1);
    expect(copies).toBeLessThanOrEqual(withRedis ? 2 : 1);
  }
}

/** What had been taken, or had ended, when the release was killed is not sent again. */
export function expectNothingAgain(agent: OldAgent): void {
  const arrived = byKey(agent);
  const over = agent.promises.deliveries.filter(({ state }) => ['delivered', 'gone', 'exhausted'].includes(state));
  expect(over.filter(({ idempotency_key }) => arrived.has(idempotency_key))).toEqual([]);
}

/** Each status of the tasks that were killed at work is told once, their completion among them. */
export async function expectNewsTold(agent: OldAgent): Promise<void> {
  const told = (task_id: string) =>
    [...byKey(agent).values()]
      .filter(({ arrival }) => arrival.body['task_id'] === task_id)
      .map(({ arrival }) => arrival);
  const { tasks, impairments, approvals } = agent.promises;
  const killed = tasks.filter(({ buyer_ref }) => buyer_ref?.startsWith('killed-') === true);
  const ids = [...killed, approvals.pending, approvals.asked, approvals.unheard].map(({ task_id }) => task_id);
  expect(killed).toHaveLength(5);
  const isTold = (id: string) => told(id).some(({ body }) => body['status'] === 'completed');
  for (const id of ids) await until(() => isTold(id), WITHIN_MS);
  for (const id of ids) expect(told(id).filter(({ body }) => body['status'] === 'completed')).toHaveLength(1);
  for (const { impairment_id } of impairments.filter(({ is_untold }) => is_untold)) {
    await until(() => agent.received.some(({ body }) => body['notification_id'] === impairment_id), WITHIN_MS);
  }
}

/** Whether a buy may have come from one status to another meanwhile. */
const MAY_BECOME: Readonly<Record<string, readonly string[]>> = { pending: ['active'], active: ['completed'] };

export async function expectLegalMoves(agent: OldAgent): Promise<void> {
  const buys = await everyBuy(agent);
  for (const { media_buy_id, status } of agent.promises.media_buys) {
    const now = buys.find((one) => one['media_buy_id'] === media_buy_id)?.['status'];
    if (now !== undefined) expect([status, ...(MAY_BECOME[status] ?? [])]).toContain(now);
  }
  await until(async () => {
    const { creatives } = await ask(agent, 'list_creatives', { limit: 100 });
    const processed = (creatives as Json[]).find((one) => one['creative_id'] === 'killed-in-processing');
    return processed?.['status'] === 'approved';
  }, WITHIN_MS);
}
