import { randomUUID } from 'node:crypto';
import type { RoleStep } from '../../directory/badge/apply-check.ts';
import type { BadgeRole } from '../../directory/badge/badge.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { postRpc } from '../probe/ask.ts';
import type { Asking } from '../probe/ask.ts';
import type { A2aAgent } from '../probe/a2a.ts';
import type { Probed } from '../probe/probe.ts';
import { Refusal, ROLE_TASKS } from './role-tasks.ts';

/**
 * Calls the task of a role that only reads, with nothing in it and no credential, and judges what comes: an answer by the task's
 * schema or a refusal as the protocol writes it, under the very id that was sent; or 401 or 403 with a challenge, from an agent whose card says
 * that it asks for a credential. Whatever a file server could send to everybody proves nothing.
 */
export async function proofOf(
  asking: Asking,
  { a2a, mcp }: Probed,
  role: BadgeRole,
): Promise<RoleStep | { step: 'unknown'; reason: string }> {
  const { called } = ROLE_TASKS[role];
  if (mcp?.tools.some(({ name }) => name === called) === true) {
    const answered = await mcp.call(called, {});
    if (answered !== undefined && isRight(role, answered)) return { step: 'verified', proof: 'answered' };
  }
  return a2a?.rpc === undefined
    ? { step: 'declared', reason: `${called} is not answered by its schema` }
    : overA2a(asking, a2a, a2a.rpc, role);
}

async function overA2a(
  asking: Asking,
  { requiresCredential }: A2aAgent,
  { url, wire }: NonNullable<A2aAgent['rpc']>,
  role: BadgeRole,
): ReturnType<typeof proofOf> {
  const { called } = ROLE_TASKS[role];
  const [id, isModern] = [randomUUID(), wire === '1.0'];
  const data = { skill: called, input: {} };
  const message = {
    ...(!isModern && { kind: 'message' }),
    messageId: randomUUID(),
    role: isModern ? 'ROLE_USER' : 'user',
    parts: [isModern ? { data } : { kind: 'data', data }],
  };
  const method = isModern ? 'SendMessage' : 'message/send';
  const call = { jsonrpc: '2.0', id, method, params: { message } };
  const answer = await postRpc(asking, url, call, { 'a2a-version': wire });
  if (answer.kind !== 'answer')
    return { step: answer.isPassing === true ? 'unknown' : 'declared', reason: `${called} does not answer` };
  if (answer.status >= 500) return { step: 'unknown', reason: `${called} is answered ${answer.status}` };
  if (answer.status === 401 || answer.status === 403) {
    if (requiresCredential && /^[a-z0-9-]+(\s|$)/i.test(answer.headers['www-authenticate'] ?? ''))
      return { step: 'verified', proof: 'asks_for_credential' };
    const reason = `${called} is answered ${answer.status}, without a challenge or the card's word that a credential is needed`;
    return { step: 'declared', reason };
  }
  const said = answer.message;
  if (said?.['id'] !== id || said['jsonrpc'] !== '2.0')
    return { step: 'declared', reason: `${called} is not answered by JSON-RPC under the id that was sent` };
  return dataIn(said).some((one) => isRight(role, one))
    ? { step: 'verified', proof: 'answered' }
    : { step: 'declared', reason: `${called} is not answered by its schema` };
}

function isRight(role: BadgeRole, answered: JsonObject): boolean {
  return ROLE_TASKS[role].answer.safeParse(answered).success || Refusal.safeParse(answered).success;
}

/** Data parts looked at of one answer. */
const MOST_PARTS = 20;

/** What an answer of A2A carries as data: in a task's artifacts and status, in a message, or behind an error. */
function dataIn({ result, error }: JsonObject): JsonObject[] {
  if (isObject(error))
    return [error['data']]
      .flat()
      .filter(isObject)
      .flatMap((data) => [data, data['error']])
      .filter(isObject);
  if (!isObject(result)) return [];
  const task = isObject(result['task']) ? result['task'] : isObject(result['message']) ? result['message'] : result;
  const status = isObject(task['status']) ? task['status'] : {};
  const carriers = [...list(task['artifacts']), task, ...[status['message']].filter(isObject)];
  return carriers
    .flatMap((carrier) => list(carrier['parts']))
    .slice(0, MOST_PARTS)
    .map((part) => part['data'])
    .filter(isObject);
}

function list(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.slice(0, MOST_PARTS).filter(isObject) : [];
}
