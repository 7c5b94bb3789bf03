import type { RoleStep } from '../../directory/badge/apply-check.ts';
import type { BadgeRole } from '../../directory/badge/badge.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { callOverA2a } from '../probe/a2a-call.ts';
import type { Asking } from '../probe/ask.ts';
import type { A2aAgent } from '../probe/a2a.ts';
import type { Probed } from '../probe/probe.ts';
import { Refusal, ROLE_TASKS } from './role-tasks.ts';

/**
 * Calls the task of a role that only reads, with nothing in it and no credential, and judges what comes: an answer by the task's
 * schema or a refusal as the protocol writes it, under the very id that was sent; or 401 or 403 with a challenge of a scheme that the agent's card
 * requires. Whatever a file server could send to everybody proves nothing.
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
  { challengeSchemes }: A2aAgent,
  rpc: NonNullable<A2aAgent['rpc']>,
  role: BadgeRole,
): ReturnType<typeof proofOf> {
  const { called } = ROLE_TASKS[role];
  const answer = await callOverA2a(asking, rpc, called, {});
  if (answer.kind !== 'answer')
    return { step: answer.isPassing === true ? 'unknown' : 'declared', reason: `${called} does not answer` };
  if (answer.status >= 500) return { step: 'unknown', reason: `${called} is answered ${answer.status}` };
  if (answer.status === 401 || answer.status === 403) {
    const asked = schemesOfChallenge(answer.headers['www-authenticate'] ?? '');
    if (asked.some((scheme) => challengeSchemes.has(scheme))) return { step: 'verified', proof: 'asks_for_credential' };
    const reason = `${called} is answered ${answer.status}, without a challenge of a scheme that its card requires`;
    return { step: 'declared', reason };
  }
  if (answer.message?.['id'] !== answer.id || answer.message['jsonrpc'] !== '2.0')
    return { step: 'declared', reason: `${called} is not answered by JSON-RPC under the id that was sent` };
  return answer.data.some((one) => isRight(role, one))
    ? { step: 'verified', proof: 'answered' }
    : { step: 'declared', reason: `${called} is not answered by its schema` };
}

/** The schemes of all challenges in the header (RFC 9110, 11.6.1), in lower case. What stands in quotes names none. */
function schemesOfChallenge(header: string): string[] {
  return header
    .replace(/"(?:[^"\\]|\\.)*"?/g, '""')
    .split(',')
    .flatMap((part) => /^\s*([\w!#$%&'*+.^`|~-]+)(?:$|\s+(?![\s=]))/.exec(part)?.[1]?.toLowerCase() ?? []);
}

function isRight(role: BadgeRole, answered: JsonObject): boolean {
  return ROLE_TASKS[role].answer.safeParse(answered).success || Refusal.safeParse(answered).success;
}
