import { expect } from 'vitest';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { until } from '../../support/until.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import { eventsOf, mediaBuyInput, send, taskOf } from './buyer.ts';
import type { TestAgent } from './test-agent.ts';

/** A story may wait until a dead worker's locks have run out; no test is about how long, in milliseconds. */
export const TIMEOUT_MS = 600_000;

/** A create_media_buy that two webhooks tell of. */
export interface Story {
  agent: TestAgent;
  receiver: Receiver;
  id: string;
  /** Of the task, as it was answered. */
  state: string;
  buyer_ref: string;
}

/** Asks an agent that does no work yet for a media buy. */
export async function beginStory(agent: TestAgent, receiver: Receiver): Promise<Story> {
  const input = mediaBuyInput(agent, { push_notification_config: { url: receiver.url(), operation_id: 'op' } });
  const task = taskOf(await send(agent, 'create_media_buy', input));
  return { agent, receiver, ...task, buyer_ref: String(input['buyer_ref']) };
}

/** Whether the task is over, its events are delivered, and nothing is owed any more. */
export async function isAtRest({ agent, id }: Story): Promise<boolean> {
  const { store } = agent.core;
  const run = await store.collection(TaskRuns).get(id);
  if (run?.state !== 'completed' || run.run_due_at !== null || run.notify_due_at !== null) return false;
  const { rows } = await store.collection(Deliveries).find({ where: { task_id: id } });
  return rows.length === 2 && rows.every(({ state }) => state === 'delivered');
}

/** Both events come, each with one body and one key whatever happened in between, and there is one media buy. */
export async function expectTheWholeStory({ agent, receiver, id, buyer_ref }: Story): Promise<void> {
  const isTold = (status: string) => eventsOf(receiver.received, id).some(({ body }) => body['status'] === status);
  await until(() => isTold('completed') && isTold('working'), TIMEOUT_MS);
  const events = eventsOf(receiver.received, id);
  expect(events.map(({ body }) => body['status'])).toEqual(['working', 'completed']);
  expect(events.every(({ bytes }) => bytes.size === 1)).toBe(true);
  const organization_id = 'org_demo_buyer';
  const { rows } = await agent.core.store.collection(MediaBuys).find({ where: { organization_id, buyer_ref } });
  expect(rows).toHaveLength(1);
}
