import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { until } from '../../support/until.ts';
import type { TestAgent } from './test-agent.ts';

export interface OperatorAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { error?: { code: string; message: string; field?: string } };
}

/** Calls the operator API with the operator's key; `headers` may say otherwise. */
export async function operate(
  agent: TestAgent,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<OperatorAnswer> {
  const response = await fetch(`${agent.baseUrl}/api/operator${path}`, {
    method,
    headers: {
      authorization: `Bearer ${await operatorKey(agent.core)}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as OperatorAnswer['body'],
  };
}

export type Listed = Record<string, unknown> & { approval_id: string; task_id: string; media_buy_id: string };

/** The approval that a task waits for, once it does. */
export function approvalOf(agent: TestAgent, task_id: string): Promise<Listed> {
  return until(async () => {
    const { body } = await operate(agent, 'GET', '/approvals?limit=100');
    return (body['approvals'] as Listed[]).find((approval) => approval.task_id === task_id);
  });
}
