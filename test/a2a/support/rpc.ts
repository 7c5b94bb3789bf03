import { randomUUID } from 'node:crypto';
import type { ErrorBody } from '../../../src/platform/errors.ts';
import { allEvents } from './sse.ts';

/** What tests look at in a message, in either generation. */
export interface WireMessage {
  role: string;
  messageId: string;
  parts: { kind?: string; text?: string; data?: unknown }[];
}

/** What tests look at in a task, in either generation. */
export interface WireTask {
  kind?: string;
  id: string;
  contextId: string;
  status: { state: string; timestamp: string; message: WireMessage };
  artifacts: { artifactId: string; parts: { kind?: string; text?: string; data?: unknown }[] }[];
  history: WireMessage[];
  metadata: Record<string, unknown>;
}

export interface WireError {
  code: number;
  message: string;
  data: [{ reason: string; metadata: Record<string, string> }, { error: ErrorBody }] & { error: ErrorBody };
}

/** `result.task` in 1.0, `result` itself in 0.3. */
export interface RpcBody {
  jsonrpc: string;
  id: unknown;
  result: WireTask & { task: WireTask };
  error: WireError;
}

export interface RpcAnswer {
  status: number;
  headers: Headers;
  body: RpcBody;
}

/** One JSON-RPC client of an agent, in either generation; of a stream it answers the first event. */
export function rpcClient(url: string, key: string, version?: '1.0' | '0.3') {
  const post = async (body: string, headers: Record<string, string> = {}): Promise<RpcAnswer> => {
    const response = await fetch(`${url}/a2a/jsonrpc`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${key}`,
        ...(version !== undefined && { 'A2A-Version': version }),
        ...headers,
      },
      body,
    });
    const { status, headers: got } = response;
    if (got.get('content-type')?.startsWith('text/event-stream') !== true)
      return { status, headers: got, body: (await response.json()) as RpcBody };
    const [first] = await allEvents(response);
    return { status, headers: got, body: first?.data as RpcBody };
  };
  const call = async (method: string, params?: unknown): Promise<RpcBody> =>
    (await post(JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }))).body;
  return { post, call };
}

/** A message of A2A 1.0 that invokes a skill. */
export function invoke(skill: string, input: unknown, more: object = {}): object {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }], ...more };
}

/** The same in A2A 0.3. */
export function invoke03(skill: string, input: unknown, more: object = {}): object {
  return {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: [{ kind: 'data', data: { skill, input } }],
    ...more,
  };
}
