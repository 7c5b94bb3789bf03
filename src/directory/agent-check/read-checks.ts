import type { Page, Store } from '../../platform/store/collection.ts';
import type { Agent } from '../agent/agent.ts';
import { agentChecks, ALL_CHECKS_KEPT } from './agent-check.ts';
import type { AgentCheck } from './agent-check.ts';

/** An agent, and since when it is registered: what another organization's agent at the same URL did before is not its own. */
export type CheckedAgent = Pick<Agent, 'url' | 'created_at'>;

/** A page of an agent's checks, newest first. */
export function checksOf(
  store: Store,
  { url, created_at }: CheckedAgent,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<Page<AgentCheck>> {
  return store.collection(agentChecks).find({
    where: { agent_url: url, checked_at: { gte: created_at } },
    sort: { field: 'checked_at', direction: 'desc' },
    limit,
    ...(after !== undefined && { after }),
  });
}

/** What the checks that are kept say together. */
export interface AgentHealth {
  /** By the newest check; `unknown`: there is none. */
  status: 'reachable' | 'unreachable' | 'unknown';
  checked_at: string | null;
  /** Why it was unreachable, in our words. */
  reason: string | null;
  last_reachable_at: string | null;
  checks: number;
  reachable_checks: number;
}

/** The health of an agent by all of its checks that are kept, at most {@link ALL_CHECKS_KEPT}. */
export async function healthOf(store: Store, agent: CheckedAgent): Promise<AgentHealth> {
  const { rows } = await checksOf(store, agent, { limit: ALL_CHECKS_KEPT });
  const newest = rows[0];
  const reachable = rows.filter((row) => row.is_reachable);
  return {
    status: newest === undefined ? 'unknown' : newest.is_reachable ? 'reachable' : 'unreachable',
    ...{ checked_at: newest?.checked_at ?? null, reason: newest?.reason ?? null },
    last_reachable_at: reachable[0]?.checked_at ?? null,
    ...{ checks: rows.length, reachable_checks: reachable.length },
  };
}
