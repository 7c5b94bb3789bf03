import { randomUUID } from 'node:crypto';
import type { CheckOutcome } from '../../directory/badge/apply-check.ts';
import { BADGE_ROLES, BadgeVersion } from '../../directory/badge/badge.ts';
import type { BadgeRole } from '../../directory/badge/badge.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { postRpc } from '../probe/ask.ts';
import type { Asking } from '../probe/ask.ts';
import { probeAgent } from '../probe/probe.ts';
import type { Probed } from '../probe/probe.ts';
import { whyNoWebhookKeys } from './webhook-keys.ts';

/**
 * The real check behind a badge: the agent's card resolves and names a protocol release, it declares the tasks of the
 * role, the one of them that only reads answers (asking for a credential is an answer), and the keys its webhooks are
 * signed with are published.
 */
export async function checkAgent(asking: Asking, names: ProtocolNames, agentUrl: string): Promise<CheckOutcome> {
  const probed = await probeAgent(asking, agentUrl);
  if (probed.kind !== 'found') return { kind: 'unreachable', reason: probed.reason };
  const declared = new Set(probed.tools.map((tool) => tool.name));
  const version = BadgeVersion.safeParse(
    probed.a2a?.extensions.get(names.agentCardExtensionUri)?.[names.versionField],
  ).data;
  const candidates = BADGE_ROLES.filter((role) => ROLE_TASKS[role].declares.every((task) => declared.has(task)));
  const failed = new Map<BadgeRole, string>();
  for (const role of BADGE_ROLES)
    if (!candidates.includes(role)) failed.set(role, `does not declare ${ROLE_TASKS[role].declares.join(' and ')}`);
  if (candidates.length === 0) return { kind: 'judged', version, passed: [], failed };

  const keys = await whyNoWebhookKeys(asking, names, agentUrl);
  if (keys.kind === 'unknown') return { kind: 'unreachable', reason: keys.reason };
  const general = version === undefined ? 'its card declares no protocol release' : keys.reason;
  const passed: BadgeRole[] = [];
  for (const role of candidates) {
    const { called } = ROLE_TASKS[role];
    const reason = general ?? ((await answers(asking, probed, called)) ? undefined : `${called} does not answer`);
    if (reason === undefined) passed.push(role);
    else failed.set(role, reason);
  }
  return { kind: 'judged', version, passed, failed };
}

async function answers(asking: Asking, { a2a, mcp }: Probed, task: string): Promise<boolean> {
  if (mcp?.tools.some(({ name }) => name === task) === true && (await mcp.call(task, {})) !== undefined) return true;
  if (a2a?.rpc === undefined) return false;
  const { url, wire } = a2a.rpc;
  const data = { skill: task, input: {} };
  const isModern = wire === '1.0';
  const parts = isModern ? [{ data }] : [{ kind: 'data', data }];
  const role = isModern ? 'ROLE_USER' : 'user';
  const message = { ...(!isModern && { kind: 'message' }), messageId: randomUUID(), role, parts };
  const method = isModern ? 'SendMessage' : 'message/send';
  const answer = await postRpc(
    asking,
    url,
    { jsonrpc: '2.0', id: 1, method, params: { message } },
    { 'a2a-version': wire },
  );
  if (answer.kind !== 'answer') return false;
  if (answer.status === 401 || answer.status === 403) return true;
  const error = answer.message?.['error'] as { code?: unknown } | undefined;
  return answer.message !== undefined && error?.code !== METHOD_NOT_FOUND;
}

const METHOD_NOT_FOUND = -32601;

/** What a role asks of an agent: tasks it must declare, and the one of them that only reads, which is called. */
interface RoleTasks {
  declares: readonly string[];
  called: string;
}

const ROLE_TASKS: Record<BadgeRole, RoleTasks> = {
  'media-buy': { declares: ['get_products', 'create_media_buy'], called: 'get_products' },
  creative: { declares: ['list_creative_formats', 'build_creative'], called: 'list_creative_formats' },
  signals: { declares: ['get_signals'], called: 'get_signals' },
  governance: { declares: ['check_governance'], called: 'check_governance' },
  brand: { declares: ['get_brand_identity'], called: 'get_brand_identity' },
  'sponsored-intelligence': { declares: ['si_get_offering', 'si_initiate_session'], called: 'si_get_offering' },
};
