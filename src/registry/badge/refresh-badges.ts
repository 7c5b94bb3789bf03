import { agents } from '../../directory/agent/agent.ts';
import { keepCheck } from '../../directory/agent-check/keep-check.ts';
import { applyCheck } from '../../directory/badge/apply-check.ts';
import type { CheckOutcome } from '../../directory/badge/apply-check.ts';
import type { Badge } from '../../directory/badge/badge.ts';
import { endChecks, retireBadges } from '../../directory/badge/retire-badges.ts';
import type { FeedDeps } from '../../directory/feed/publish.ts';
import type { Ids } from '../../platform/clock.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { Out } from '../probe/ask.ts';
import { checkAgent } from './check-agent.ts';

export interface RefreshDeps extends FeedDeps {
  ids: Ids;
  outbound: Out;
  names: ProtocolNames;
  /** How long one agent may take in all, in milliseconds. Default 9,500. */
  probeMs?: number;
  /** This house's own agent, which has badges without being registered. */
  ownUrl: string;
  /** Its owner asks for it, beside the daily one. Default: no. */
  isAsked?: boolean;
  /** Breaks the look off, by an exception, before anything is changed. */
  signal?: AbortSignal;
}

const CHECK_MS = 9_500;

/**
 * Checks an agent, issues, renews or revokes its badges, and keeps how it went (rule R11.history). One that was deleted meanwhile, or whose deletion a process
 * that died left half done, ends without badges; then the answer is undefined.
 */
export async function refreshBadges(
  deps: RefreshDeps,
  agentUrl: string,
): Promise<{ outcome: CheckOutcome; changed: Badge[] } | undefined> {
  const { outbound: out, names, clock, signal, probeMs = CHECK_MS, isAsked = false } = deps;
  if (!(await hasBadges(deps, agentUrl))) return retire(deps, agentUrl);
  const startedAt = clock.now();
  const began = performance.now();
  const outcome = await checkAgent({ out, deadline: performance.now() + probeMs, signal }, names, agentUrl);
  const tookMs = performance.now() - began;
  // First: of a process that dies in between, no badge has changed by a check that nobody can read. And before the last look whether the
  // agent is still there: one that is not keeps no history.
  await keepCheck(deps, agentUrl, { startedAt, tookMs, outcome, isAsked });
  const changed = await applyCheck(deps, agentUrl, outcome);
  await keepDeclared(deps, agentUrl, outcome);
  return (await hasBadges(deps, agentUrl)) ? { outcome, changed } : retire(deps, agentUrl);
}

/** What it says of itself is kept until it answers again. */
async function keepDeclared({ store }: RefreshDeps, url: string, outcome: CheckOutcome): Promise<void> {
  if (outcome.kind !== 'judged' || outcome.declared === undefined) return;
  const is_verified = [...outcome.passed.values()].some(({ step }) => step === 'verified');
  const declared = { ...outcome.declared, is_verified };
  const rows = store.collection(agents);
  const [row] = (await rows.find({ where: { url }, limit: 1 })).rows;
  if (row !== undefined && JSON.stringify(row.declared) !== JSON.stringify(declared))
    await rows.update(row.agent_id, (now) => ({ ...now, declared }));
}

async function hasBadges({ store, ownUrl }: RefreshDeps, url: string): Promise<boolean> {
  return url === ownUrl || (await store.collection(agents).find({ where: { url }, limit: 1 })).rows.length > 0;
}

async function retire(deps: RefreshDeps, agentUrl: string): Promise<undefined> {
  // Else it is looked at again, until all can be read.
  if (await retireBadges(deps, agentUrl)) await endChecks(deps, agentUrl);
  return undefined;
}
