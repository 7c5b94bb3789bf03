import { randomUUID } from 'node:crypto';
import type { RoleStep } from '../../directory/badge/apply-check.ts';
import type { BadgeRole } from '../../directory/badge/badge.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { callOverA2a } from '../probe/a2a-call.ts';
import type { A2aAgent } from '../probe/a2a.ts';
import type { Asking } from '../probe/ask.ts';
import type { Probed } from '../probe/probe.ts';
import { isAnswer, refusedWith, ROLE_TASKS, wrongMember } from './role-tasks.ts';

/** What a call came to: data that was answered under the id that was sent; or a step that is no more than that, and why. */
type Reply = { step: 'answered'; data: JsonObject[] } | NotProved;
type NotProved = { step: 'declared' | 'protected' | 'unknown'; reason: string };
type Call = (input: JsonObject) => Promise<Reply>;

/**
 * Calls the task of a role that only reads, without a credential and by its schema, over MCP and else over A2A. Verified is who answers
 * it by its schema; protected, who asks for a credential by a scheme that its card requires, or by the code of the protocol for that. Other
 * refusals prove nothing, but for calls about an id that only clients know: see {@link knowsNobodysId}.
 */
export async function proofOf(
  asking: Asking,
  { a2a, mcp }: Probed,
  role: BadgeRole,
): Promise<RoleStep | { step: 'unknown'; reason: string }> {
  const { called } = ROLE_TASKS[role];
  if (mcp?.tools.some(({ name }) => name === called) === true) {
    const overMcp: Call = async (input) => {
      const data = await mcp.call(called, input);
      return data === undefined ? notBySchema(called) : { step: 'answered', data: [data] };
    };
    const seen = await seenBy(overMcp, role, false);
    if (seen.step === 'verified' || a2a?.rpc === undefined) return seen;
  }
  if (a2a?.rpc === undefined) return notBySchema(called);
  const { rpc } = a2a;
  return seenBy((input) => overA2a(asking, a2a, rpc, { called, input }), role, a2a.requiresCredential);
}

async function seenBy(
  call: Call,
  role: BadgeRole,
  requiresCredential: boolean,
): Promise<{ step: 'verified' } | NotProved> {
  const { called, asked, idField } = ROLE_TASKS[role];
  let last: NotProved = notBySchema(called);
  for (const request of asked) {
    const input = idField === undefined ? request : { ...request, [idField]: randomUUID() };
    const reply = await call(input);
    if (reply.step !== 'answered') {
      if (reply.step !== 'declared') return reply;
      last = reply;
      continue;
    }
    if (reply.data.some((one) => isAnswer(role, one))) return { step: 'verified' };
    const code = reply.data.map(refusedWith).find((one) => one !== undefined);
    if (code === undefined) last = notBySchema(called, reply.data[0] && wrongMember(role, reply.data[0]));
    else if (requiresCredential && WANTS_CREDENTIAL.test(code))
      return { step: 'protected', reason: asksForCredential(called) };
    else if (idField !== undefined && (await knowsNobodysId(call, code, request))) return { step: 'verified' };
    else last = { step: 'declared', reason: `${called} is refused (${code}), which proves nothing` };
  }
  return last;
}

const WANTS_CREDENTIAL = /^(?:AUTH_|UNAUTHORIZED$)/;
const NOT_FOUND = /(?:^|_)NOT_FOUND$/;

/** That an id which is nobody's is not found, and its want is another fault, only an agent tells that reads the call by its schema. */
async function knowsNobodysId(call: Call, code: string, withoutId: JsonObject): Promise<boolean> {
  if (!NOT_FOUND.test(code)) return false;
  const reply = await call(withoutId);
  if (reply.step !== 'answered') return false;
  const other = reply.data.map(refusedWith).find((one) => one !== undefined);
  return other !== undefined && !NOT_FOUND.test(other) && !WANTS_CREDENTIAL.test(other);
}

async function overA2a(
  asking: Asking,
  { challengeSchemes }: A2aAgent,
  rpc: NonNullable<A2aAgent['rpc']>,
  { called, input }: { called: string; input: JsonObject },
): Promise<Reply> {
  const answer = await callOverA2a(asking, rpc, called, input);
  if (answer.kind !== 'answer')
    return { step: answer.isPassing === true ? 'unknown' : 'declared', reason: `${called} does not answer` };
  if (answer.status >= 500) return { step: 'unknown', reason: `${called} is answered ${answer.status}` };
  if (answer.status === 401 || answer.status === 403) {
    const schemes = schemesOfChallenge(answer.headers['www-authenticate'] ?? '');
    return schemes.some((scheme) => challengeSchemes.has(scheme))
      ? { step: 'protected', reason: asksForCredential(called) }
      : {
          step: 'declared',
          reason: `${called} is answered ${answer.status}, without a challenge of a scheme that its card requires`,
        };
  }
  return answer.message?.['id'] === answer.id && answer.message['jsonrpc'] === '2.0'
    ? { step: 'answered', data: answer.data }
    : { step: 'declared', reason: `${called} is not answered by JSON-RPC under the id that was sent` };
}

function notBySchema(called: string, member?: string): { step: 'declared'; reason: string } {
  const where = member === undefined ? '' : `: see ${member}`;
  return { step: 'declared', reason: `${called} is not answered by its schema${where}` };
}

function asksForCredential(called: string): string {
  return `${called} asks for a credential, so nobody has seen it answered`;
}

/** The schemes of all challenges in the header (RFC 9110, 11.6.1), in lower case. What stands in quotes names none. */
function schemesOfChallenge(header: string): string[] {
  return header
    .replace(/"(?:[^"\\]|\\.)*"?/g, '""')
    .split(',')
    .flatMap((part) => /^\s*([\w!#$%&'*+.^`|~-]+)(?:$|\s+(?![\s=]))/.exec(part)?.[1]?.toLowerCase() ?? []);
}
