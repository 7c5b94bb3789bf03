import type { CheckOutcome, RoleStep } from '../../directory/badge/apply-check.ts';
import { BADGE_ROLES, BadgeVersion } from '../../directory/badge/badge.ts';
import type { BadgeRole } from '../../directory/badge/badge.ts';
import { KNOWN_RELEASES } from '../../directory/badge/known-releases.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { Asking } from '../probe/ask.ts';
import { probeAgent } from '../probe/probe.ts';
import type { Probed } from '../probe/probe.ts';
import { declaredOf } from './declared-of.ts';
import { proofOf } from './proof-of.ts';
import { ROLE_TASKS } from './role-tasks.ts';
import { isOnSite } from './same-site.ts';
import { whyNoWebhookKeys } from './webhook-keys.ts';

/**
 * The real check behind a badge (rule R11.verified). Declared: the agent's card resolves, names a known release of the protocol, and
 * has the tasks of the role. Verified besides: what it is called at and the keys its webhooks are signed with are on its own site, one
 * of the keys can be used, and the task of the role that only reads is answered by its schema; protected, where a credential is asked for instead.
 */
export async function checkAgent(asking: Asking, names: ProtocolNames, agentUrl: string): Promise<CheckOutcome> {
  const probed = await probeAgent(asking, agentUrl);
  if (probed.kind !== 'found') return { kind: 'unreachable', reason: probed.reason };
  const said = await declaredOf(asking, probed);
  const declared = new Set(probed.tools.map((tool) => tool.name));
  const lacking = (role: BadgeRole) => ROLE_TASKS[role].declares.filter((task) => !declared.has(task));
  const candidates = BADGE_ROLES.filter((role) => lacking(role).length === 0);
  const failed = new Map<BadgeRole, string>();
  for (const role of BADGE_ROLES)
    if (!candidates.includes(role)) failed.set(role, `does not declare ${ROLE_TASKS[role].declares.join(' and ')}`);
  const named = BadgeVersion.safeParse(probed.a2a?.extensions.get(names.agentCardExtensionUri)?.[names.versionField]);
  const whyNoRelease = named.success
    ? KNOWN_RELEASES.includes(named.data)
      ? undefined
      : `its card names the protocol release ${named.data}, which is not known`
    : 'its card declares no protocol release';
  if (whyNoRelease !== undefined) {
    for (const role of candidates) failed.set(role, whyNoRelease);
    return { kind: 'judged', version: undefined, passed: new Map(), failed, declared: said };
  }
  const { data: version } = named;
  if (candidates.length === 0) return { kind: 'judged', version, passed: new Map(), failed, declared: said };

  const keys = await whyNoWebhookKeys(asking, names, agentUrl);
  if (keys.kind === 'unknown') return { kind: 'unreachable', reason: keys.reason };
  const unproved = keys.reason ?? whyElsewhere(probed, agentUrl);
  const passed = new Map<BadgeRole, RoleStep>();
  for (const role of candidates) {
    const step =
      unproved === undefined ? await proofOf(asking, probed, role) : { step: 'declared' as const, reason: unproved };
    // As when it cannot be reached at all: what it had, it keeps for a while.
    if (step.step === 'unknown') return { kind: 'unreachable', reason: step.reason };
    passed.set(role, step);
  }
  return { kind: 'judged', version, passed, failed, declared: said };
}

/** A card may name anybody's address: that another agent answers there says nothing of this one. */
function whyElsewhere({ a2a }: Probed, agentUrl: string): string | undefined {
  if (a2a?.rpc === undefined || isOnSite(a2a.rpc.url, agentUrl)) return undefined;
  return 'its card names an address on a site that is not its own';
}
