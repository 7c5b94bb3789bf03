import { deepStrictEqual } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Operation } from '../../../src/admin/operator/operation.ts';
import { operations } from '../../../src/admin/operator/operations.ts';
import { addAccessKey } from '../../../src/directory/operator/access-key.ts';
import type { OperatorRole } from '../../../src/directory/operator/operator.ts';
import { addPerson } from '../../../src/directory/operator/person.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { until } from '../../support/until.ts';
import type { TestAgent } from './test-agent.ts';

export interface OperatorAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown> & { error?: { code: string; message: string; field?: string } };
}

/** The operations that this file's tests had an answer of, as `get /approvals`. */
export const answered = new Set<string>();

/**
 * Calls the operator API with the operator's key; `headers` may say otherwise. An answer must be what its operation says
 * it answers, and nothing more.
 */
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
  const answer = (await response.json()) as OperatorAnswer['body'];
  if (response.ok) assertFits(operationAt(method, path), answer);
  return { status: response.status, headers: response.headers, body: answer };
}

/** Headers by which a person of this name acts, who is made when first asked for. */
export async function actingAs(
  { core }: TestAgent,
  name: string,
  role: OperatorRole = 'operator',
): Promise<{ authorization: string }> {
  const keys = keysByName.get(core) ?? new Map<string, Promise<string>>();
  keysByName.set(core, keys);
  const making = keys.get(name) ?? newKey(core, name, role);
  keys.set(name, making);
  return { authorization: `Bearer ${await making}` };
}

const keysByName = new WeakMap<TestAgent['core'], Map<string, Promise<string>>>();

async function newKey(core: TestAgent['core'], name: string, role: OperatorRole): Promise<string> {
  const made = { name, role, by: 'a test', click: randomUUID() };
  const { person_id } = await addPerson(core, made);
  return (await addAccessKey(core, { ...made, person_id })).raw;
}

function operationAt(method: string, path: string): Operation {
  const [bare = ''] = path.split('?');
  const found = operations.find(
    (operation) =>
      operation.method === method.toLowerCase() &&
      new RegExp(`^${operation.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(bare),
  );
  if (found === undefined) throw new Error(`no operation is at ${method} ${bare}`);
  return found;
}

function assertFits({ method, path, answer }: Operation, { replayed: _again, ...body }: Record<string, unknown>): void {
  deepStrictEqual(answer.parse(body), body, `the answer of ${method} ${path} is not what it says it answers`);
  answered.add(`${method} ${path}`);
}

export type Listed = Record<string, unknown> & { approval_id: string; task_id: string; media_buy_id: string };

/** The approval that a task waits for, once it does. */
export function approvalOf(agent: TestAgent, task_id: string): Promise<Listed> {
  return until(async () => {
    const { body } = await operate(agent, 'GET', '/approvals?limit=100');
    return (body['approvals'] as Listed[]).find((approval) => approval.task_id === task_id);
  });
}
