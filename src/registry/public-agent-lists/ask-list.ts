import type { JsonObject } from '../../platform/json-object.ts';
import type { A2aAgent } from '../probe/a2a.ts';
import { callOverA2a } from '../probe/a2a-call.ts';
import type { Asking, NoAnswer } from '../probe/ask.ts';
import { probeAgent } from '../probe/probe.ts';
import { toldOverMcp } from '../probe/told-lists.ts';
import type { ToldList } from '../probe/told-lists.ts';

/** What an agent tells anybody; or that it wants a credential, or does not do this. */
export type ListAnswer = { kind: 'list'; items: unknown[] } | { kind: 'wants_credential' | 'not_offered' } | NoAnswer;

/** Asks an agent live for the list that a task of its answers, without a credential: by MCP, and else by A2A. */
export async function askList(asking: Asking, agentUrl: string, wanted: ToldList): Promise<ListAnswer> {
  const { task, asked } = wanted;
  const probed = await probeAgent(asking, agentUrl);
  if (probed.kind !== 'found') return probed;
  if (!probed.tools.some(({ name }) => name === task)) return { kind: 'not_offered' };
  const items = await toldOverMcp(probed.mcp, wanted);
  if (items !== undefined) return { kind: 'list', items };
  if (probed.a2a?.rpc !== undefined) {
    let answer: ListAnswer = REFUSED;
    for (const input of asked) {
      answer = await overA2a(asking, probed.a2a, probed.a2a.rpc, { ...wanted, input });
      if (answer !== REFUSED) break;
    }
    return answer;
  }
  return performance.now() >= asking.deadline ? LATE : REFUSED;
}

const LATE: NoAnswer = { kind: 'timeout', reason: 'did not answer in time' };
const REFUSED: NoAnswer = {
  kind: 'unreachable',
  reason: 'it refuses the task, or answers it otherwise than AdCP says',
};

async function overA2a(
  asking: Asking,
  { requiresCredential }: A2aAgent,
  rpc: NonNullable<A2aAgent['rpc']>,
  { task, list, input }: ToldList & { input: JsonObject },
): Promise<ListAnswer> {
  const answer = await callOverA2a(asking, rpc, task, input);
  if (answer.kind !== 'answer') return answer;
  const isRefusedLogin = answer.data.some(({ code }) => typeof code === 'string' && /^(AUTH_|UNAUTHORIZED)/.test(code));
  if (isRefusedLogin || answer.status === 401 || (answer.status === 403 && requiresCredential))
    return { kind: 'wants_credential' };
  const isReply = answer.message?.['id'] === answer.id && answer.message['jsonrpc'] === '2.0';
  const items = isReply ? answer.data.map((one) => one[list]).find((one) => Array.isArray(one)) : undefined;
  return Array.isArray(items) ? { kind: 'list', items } : REFUSED;
}
