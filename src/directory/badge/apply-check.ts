import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { AgentDeclared } from '../agent/agent.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedSubject } from '../feed/feed-event.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { badgeId, badges, compareVersions, earnedStep } from './badge.ts';
import type { Badge, BadgeProof, BadgeRole, BadgeStep, StoredStep } from './badge.ts';

/** How far a role that an agent declares has come: verified, or not for a reason. */
export type RoleStep = { step: 'verified' } | { step: Exclude<BadgeStep, 'verified'>; reason: string };

/**
 * What a check of an agent came to. `judged`: it answered, so each role is declared or verified, or failed for a reason.
 * `unreachable`: nothing can be said now.
 */
export type CheckOutcome =
  | {
      kind: 'judged';
      version: string | undefined;
      passed: Map<BadgeRole, RoleStep>;
      failed: Map<BadgeRole, string>;
      /** What it says of itself; absent: nobody asked. */
      declared?: Omit<AgentDeclared, 'is_verified'>;
    }
  | { kind: 'unreachable'; reason: string };

/** An agent that cannot be reached keeps its badges this long, in milliseconds. */
const GRACE_MS = 48 * 3_600_000;

/**
 * Issues, renews and revokes an agent's badges, and says which step they stand at. A passed role renews the badges of older releases of the same major
 * release too, since a newer minor release speaks them. Answers the badges whose
 * status or step changed.
 */
export async function applyCheck(deps: FeedDeps, agentUrl: string, outcome: CheckOutcome): Promise<Badge[]> {
  const { store, clock } = deps;
  const rows = store.collection(badges);
  const now = toTimestamp(clock.now());
  const changed: Badge[] = [];
  if (outcome.kind === 'judged' && outcome.version !== undefined)
    for (const [role, at] of outcome.passed) {
      const fresh: Badge = {
        badge_id: badgeId(agentUrl, role, outcome.version),
        ...{ agent_url: agentUrl, role, version: outcome.version },
        ...{ status: 'earned', ...storedStep(at), earned_at: now, passed_at: now, revoked_at: null, revision: 1 },
      };
      const { inserted } = await announcing(deps, [subjectOf(fresh)], () => rows.insert(fresh));
      if (inserted) changed.push(fresh);
    }
  const { rows: held } = await rows.find({ where: { agent_url: agentUrl }, limit: 1000 });
  for (const badge of held) {
    const verdict = judge(badge, outcome, clock.now());
    if (verdict === undefined) continue;
    const renew = () => rows.update(badge.badge_id, (row) => ({ ...row, ...afterVerdict(row, verdict, now) }));
    const willChange = isChange(badge, { ...badge, ...afterVerdict(badge, verdict, now) });
    const result = await announcing(deps, willChange ? [subjectOf(badge)] : [], renew);
    if (result && isChange(badge, result.row)) changed.push(result.row);
  }
  return changed;
}

function subjectOf({ badge_id }: Badge): FeedSubject {
  return { kind: 'badge', key: badge_id };
}

/** As it was stored, too: an earlier release told as verified what is shown as protected now. */
function isChange(before: Badge, after: Badge): boolean {
  return before.step !== after.step || before.status !== after.status || earnedStep(before) !== earnedStep(after);
}

/** A step as it is stored: see `stepOf`. */
export function storedStep(at: RoleStep): { step: StoredStep; proof: BadgeProof | null; reason: string | null } {
  switch (at.step) {
    case 'verified':
      return { step: 'verified', proof: 'answered', reason: null };
    case 'protected':
      return { step: 'declared', proof: 'asks_for_credential', reason: at.reason };
    case 'declared':
      return { step: 'declared', proof: null, reason: at.reason };
  }
}

type Verdict = { passed: true; at: RoleStep } | { passed: false; reason: string };

/** What an outcome means for one badge; undefined when it says nothing of it. */
function judge(badge: Badge, outcome: CheckOutcome, nowMs: number): Verdict | undefined {
  if (outcome.kind === 'unreachable') {
    const isLate = nowMs - fromTimestamp(badge.passed_at) > GRACE_MS;
    return isLate ? { passed: false, reason: `not reachable for two days: ${outcome.reason}` } : undefined;
  }
  const { version, passed, failed } = outcome;
  const at = passed.get(badge.role);
  if (at === undefined) return { passed: false, reason: failed.get(badge.role) ?? 'no longer does what the role asks' };
  if (version !== undefined && major(version) === major(badge.version) && compareVersions(version, badge.version) >= 0)
    return { passed: true, at };
  return { passed: false, reason: `no longer speaks ${badge.version}` };
}

function afterVerdict(row: Badge, verdict: Verdict, now: string): Partial<Badge> {
  if (verdict.passed)
    return {
      ...storedStep(verdict.at),
      passed_at: now,
      ...(row.status === 'revoked' && { status: 'earned', earned_at: now, revoked_at: null }),
    };
  return row.status === 'revoked' ? {} : { status: 'revoked', proof: null, reason: verdict.reason, revoked_at: now };
}

function major(version: string): string {
  return version.split('.')[0] ?? '';
}
