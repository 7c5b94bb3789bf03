import { randomUUID } from 'node:crypto';
import { AppError } from '../../../src/platform/errors.ts';
import type { ErrorBody } from '../../../src/platform/errors.ts';
import type { Caller } from '../../../src/directory/caller.ts';
import type { TaskId } from '../../../src/platform/task-id.ts';
import { currentStatus } from '../../../src/runtime/task-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { organizationId } from '../../support/ids.ts';

/** A caller of the demo organization. */
export const BUYER: Caller = {
  organization_id: organizationId('org_demo_buyer'),
  principal_id: 'key_test',
  scopes: ['tasks:read', 'tasks:write'],
};

/** A caller of somebody else's organization. */
export const STRANGER: Caller = { ...BUYER, organization_id: organizationId('org_stranger') };

export type Json = Record<string, unknown>;

const TIMEOUT_MS = 120_000;

/** Calls a task and waits until it is over or waits for its caller. */
export async function call(agent: TestAgent, task_type: string, input: Json, caller = BUYER): Promise<TaskRun> {
  const run = await begin(agent, task_type, input, caller);
  return agent.core.runtime.waitUntilIdle(run, TIMEOUT_MS, new AbortController().signal);
}

/** Calls a task without waiting, as the wires of JSON do. */
export async function begin(agent: TestAgent, task_type: string, input: Json, caller = BUYER): Promise<TaskRun> {
  const { context } = input;
  const carried = context === undefined ? {} : { context_text: JSON.stringify(context) };
  return (await agent.core.runtime.submit({ caller, task_type, input, ...carried })).run;
}

/** Waits until a task is over or waits for its caller. */
export async function settled(agent: TestAgent, task_id: TaskId): Promise<TaskRun> {
  const run = await agent.core.runtime.read(BUYER, task_id);
  return agent.core.runtime.waitUntilIdle(run, TIMEOUT_MS, new AbortController().signal);
}

/** The result of a call that completes. @throws when it does not. */
export async function result(agent: TestAgent, task_type: string, input: Json, caller = BUYER): Promise<Json> {
  const run = await call(agent, task_type, input, caller);
  if (run.state !== 'completed') throw new Error(`${task_type} is ${run.state}: ${JSON.stringify(currentStatus(run))}`);
  return currentStatus(run).data as Json;
}

/** The refusal of a call, whether it came at once or as the task's failure. @throws when there is none. */
export async function refusal(agent: TestAgent, task_type: string, input: Json, caller = BUYER): Promise<ErrorBody> {
  try {
    const run = await call(agent, task_type, input, caller);
    const data = currentStatus(run).data as { error?: ErrorBody } | undefined;
    if (data?.error !== undefined) return data.error;
    throw new Error(`${task_type} is ${run.state}`);
  } catch (error) {
    if (error instanceof AppError) return error.toBody();
    throw error;
  }
}

/** A media buy of the card's example, with changes; answers its response. */
export function makeBuy(
  agent: TestAgent,
  changes: Json = {},
): Promise<Json & { media_buy_id: string; packages: Json[] }> {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  const input = { ...example, buyer_ref: `campaign-${randomUUID()}`, ...changes };
  return result(agent, 'create_media_buy', input) as Promise<Json & { media_buy_id: string; packages: Json[] }>;
}
