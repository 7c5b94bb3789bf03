import { toTimestamp } from '../../platform/clock.ts';
import type { Ids } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { storedStep } from '../badge/apply-check.ts';
import type { CheckOutcome } from '../badge/apply-check.ts';
import { BADGE_ROLES } from '../badge/badge.ts';
import { agentChecks, ALL_CHECKS_KEPT, CHECKS_KEPT_MS, MOST_CHECKS_KEPT } from './agent-check.ts';
import type { AgentCheck } from './agent-check.ts';

/** How a check went, and when. */
export interface Checked {
  /** By the clock, in milliseconds. */
  startedAt: number;
  /** In milliseconds. */
  tookMs: number;
  outcome: CheckOutcome;
  /** Its owner asked for it. */
  isAsked: boolean;
}

/**
 * Adds a check to its agent's history, and forgets what is beyond the newest {@link MOST_CHECKS_KEPT} of its kind. Whoever dies in between, or
 * does it at the same time as others, leaves that to the next.
 */
export async function keepCheck(
  { store, ids }: { store: Store; ids: Ids },
  agent_url: string,
  { startedAt, tookMs, outcome, isAsked }: Checked,
): Promise<void> {
  const rows = store.collection(agentChecks);
  await rows.insert({
    ...{ agent_check_id: ids.newId(), agent_url, checked_at: toTimestamp(startedAt), took_ms: Math.round(tookMs) },
    ...told(outcome),
    ...(isAsked && { is_asked: isAsked }),
    ...{ expires_at: toTimestamp(startedAt + CHECKS_KEPT_MS), revision: 1 },
  });
  const most = isAsked ? MOST_CHECKS_KEPT.asked : MOST_CHECKS_KEPT.daily;
  const where = { agent_url, is_asked: isAsked ? true : null };
  const newest = { where, sort: { field: 'checked_at', direction: 'desc' } } as const;
  if ((await rows.count(where, { most: most + 1 })) <= most) return;
  const { cursor } = await rows.find({ ...newest, limit: most });
  if (cursor === undefined) return;
  const { rows: beyond } = await rows.find({ ...newest, limit: ALL_CHECKS_KEPT, after: cursor });
  for (const { agent_check_id } of beyond) await rows.delete(agent_check_id);
}

/** Forgets the history of an agent that is gone. Safe to repeat. */
export async function forgetChecks({ store }: { store: Store }, agent_url: string): Promise<void> {
  const rows = store.collection(agentChecks);
  const all = allRows(rows, { where: { agent_url }, sort: { field: 'checked_at', direction: 'asc' } });
  for await (const { agent_check_id } of all) await rows.delete(agent_check_id);
}

function told(outcome: CheckOutcome): Pick<AgentCheck, 'is_reachable' | 'reason' | 'version' | 'roles'> {
  if (outcome.kind === 'unreachable') return { is_reachable: false, reason: outcome.reason, version: null, roles: [] };
  const { version = null, passed, failed } = outcome;
  const roles = BADGE_ROLES.map((role): AgentCheck['roles'][number] => {
    const at = passed.get(role);
    if (at === undefined) return { role, step: null, proof: null, reason: failed.get(role) ?? null };
    const { step, proof, reason } = storedStep(at);
    return { role, step, proof, reason };
  });
  return { is_reachable: true, reason: null, version, roles };
}
