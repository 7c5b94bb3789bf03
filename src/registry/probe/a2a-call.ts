import { randomUUID } from 'node:crypto';
import { PUBLIC_EXTENSION_URI } from '../../dialects/dialects.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { A2aAgent } from './a2a.ts';
import { postRpc } from './ask.ts';
import type { Asking, NoAnswer, RpcAnswer } from './ask.ts';

/** What came of a call over A2A: the whole answer, the id it was sent under, and what it carries as data. */
interface SkillAnswer extends RpcAnswer {
  id: string;
  data: JsonObject[];
}

/** Calls a task of an agent over A2A, in its card's generation and in the public words where it has them, without a credential. */
export async function callOverA2a(
  asking: Asking,
  { url, wire, isPublicDialect = false }: NonNullable<A2aAgent['rpc']>,
  skill: string,
  input: JsonObject,
): Promise<SkillAnswer | NoAnswer> {
  const [id, isModern] = [randomUUID(), wire === '1.0'];
  const data = { skill, [isPublicDialect ? 'parameters' : 'input']: input };
  const message = {
    ...(!isModern && { kind: 'message' }),
    messageId: randomUUID(),
    role: isModern ? 'ROLE_USER' : 'user',
    parts: [isModern ? { data } : { kind: 'data', data }],
  };
  const method = isModern ? 'SendMessage' : 'message/send';
  const call = { jsonrpc: '2.0', id, method, params: { message } };
  const answer = await postRpc(asking, url, call, {
    'a2a-version': wire,
    ...(isPublicDialect && { [isModern ? 'a2a-extensions' : 'x-a2a-extensions']: PUBLIC_EXTENSION_URI }),
  });
  return answer.kind === 'answer' ? { ...answer, id, data: dataIn(answer.message ?? {}) } : answer;
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
