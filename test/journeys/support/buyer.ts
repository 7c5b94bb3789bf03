import { randomUUID } from 'node:crypto';
import { until } from '../../support/until.ts';
import type { Received } from '../../webhooks/support/received.ts';
import type { TestAgent } from './test-agent.ts';

/** A JSON-RPC answer, as it came. */
export interface RpcAnswer {
  status: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** Where an agent is, and a buyer's key to it. */
export type AgentAt = Pick<TestAgent, 'baseUrl' | 'apiKey'>;

/** Posts to the agent's JSON-RPC endpoint; `body` may be text that is no JSON at all. */
export async function post(agent: AgentAt, body: unknown, headers: Record<string, string> = {}): Promise<RpcAnswer> {
  const response = await fetch(`${agent.baseUrl}/a2a/jsonrpc`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agent.apiKey}`,
      'content-type': 'application/json',
      'a2a-version': '1.0',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as Omit<RpcAnswer, 'status'>;
  return { status: response.status, ...answer };
}

/** Sends a task's input and answers at once. */
export async function send(agent: AgentAt, skill: string, input: unknown): Promise<RpcAnswer> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] };
  const params = { message, configuration: { returnImmediately: true } };
  const call = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params };
  try {
    return await post(agent, call);
  } catch (error) {
    // The connection went, with or without the request: the same message again is the same task.
    console.warn(`${skill} is sent again:`, (error as Error).cause ?? error);
    return post(agent, call);
  }
}

/** The task of an answer. @throws when it is an error. */
export function taskOf({ result, error }: RpcAnswer): { id: string; state: string } {
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`);
  const task = (result?.['task'] ?? result) as { id: string; status: { state: string } };
  return { id: task.id, state: task.status.state };
}

export type Json = Record<string, unknown>;

/** The response that a finished task carries in its first artifact. @throws when it carries none. */
export function responseIn({ result }: RpcAnswer): Json {
  const task = (result?.['task'] ?? result) as { artifacts?: { parts: { data?: Json }[] }[] };
  const data = task.artifacts?.[0]?.parts.findLast((part) => part.data !== undefined)?.data;
  if (data === undefined) throw new Error('the task carries no response');
  return data;
}

/** Calls a task and waits for its response. @throws when the call is refused or the task fails. */
export async function ask(agent: AgentAt, skill: string, input: unknown): Promise<Json> {
  const answer = await send(agent, skill, input);
  const { id, state } = taskOf(answer);
  if (state === 'TASK_STATE_COMPLETED') return responseIn(answer);
  const last = await until(async () => {
    const read = await post(agent, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
    return /COMPLETED|FAILED|REJECTED|CANCELED/.test(taskOf(read).state) && read;
  });
  if (taskOf(last).state === 'TASK_STATE_COMPLETED') return responseIn(last);
  throw new Error(`${skill} is ${taskOf(last).state}: ${JSON.stringify(last.result)}`);
}

/** The error body inside a JSON-RPC error (rule B12). */
export function errorOf({ error }: RpcAnswer): { code?: string; field?: string; message?: string } {
  const details = [error?.data].flat() as { error?: Record<string, string> }[];
  return details.find((detail) => detail.error !== undefined)?.error ?? {};
}

/** A request that the demo catalog can serve; each call asks for another campaign. */
export function mediaBuyInput(agent: TestAgent, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  return { ...example, buyer_ref: `campaign-${randomUUID()}`, ...changes };
}

/** The events of a task in the order of their sequence, each once, with how often each arrived. */
export function eventsOf(received: readonly Received[], task_id: string) {
  const events = new Map<string, { body: Record<string, unknown>; bytes: Set<string>; copies: number }>();
  for (const { body, rawBody } of received) {
    if (body['task_id'] !== task_id) continue;
    const key = String(body['idempotency_key']);
    const known = events.get(key) ?? { body, bytes: new Set<string>(), copies: 0 };
    known.bytes.add(rawBody.toString('base64'));
    known.copies += 1;
    events.set(key, known);
  }
  return [...events.values()].sort((a, b) => String(a.body['timestamp']).localeCompare(String(b.body['timestamp'])));
}
