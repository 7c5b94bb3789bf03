import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedSubject } from '../feed/feed-event.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { badgeId, badges, compareVersions } from './badge.ts';
import type { Badge, BadgeRole } from './badge.ts';

/**
 * What a check of an agent came to. `judged`: it answered, so each role either passed or failed for a reason.
 * `unreachable`: nothing can be said now.
 */
export type CheckOutcome =
  | { kind: 'judged'; version: string | undefined; passed: BadgeRole[]; failed: Map<BadgeRole, string> }
  | { kind: 'unreachable'; reason: string };

/** An agent that cannot be reached keeps its badges this long, in milliseconds. */
const GRACE_MS = 48 * 3_600_000;

/**
 * Issues, renews and revokes an agent's badges. A passed role renews the badges of older releases of the same major
 * release too, since a newer minor release speaks them. Answers the badges whose status changed.
 */
export async function applyCheck(deps: FeedDeps, agentUrl: string, outcome: CheckOutcome): Promise<Badge[]> {
  const { store, clock } = deps;
  const rows = store.collection(badges);
  const now = toTimestamp(clock.now());
  const changed: Badge[] = [];
  if (outcome.kind === 'judged' && outcome.version !== undefined)
    for (const role of outcome.passed) {
      const fresh: Badge = {
        badge_id: badgeId(agentUrl, role, outcome.version),
        ...{ agent_url: agentUrl, role, version: outcome.version },
        ...{ status: 'earned', reason: null, earned_at: now, passed_at: now, revoked_at: null, revision: 1 },
      };
      const { inserted } = await announcing(deps, [subjectOf(fresh)], () => rows.insert(fresh));
      if (inserted) changed.push(fresh);
    }
  const { rows: held } = await rows.find({ where: { agent_url: agentUrl }, limit: 1000 });
  for (const badge of held) {
    const verdict = judge(badge, outcome, clock.now());
    if (verdict === undefined) continue;
    const renew = () => rows.update(badge.badge_id, (row) => ({ ...row, ...afterVerdict(row, verdict, now) }));
    const willChange = verdict.passed !== (badge.status === 'earned');
    const result = await announcing(deps, willChange ? [subjectOf(badge)] : [], renew);
    if (result && result.row.status !== badge.status) changed.push(result.row);
  }
  return changed;
}

function subjectOf({ badge_id }: Badge): FeedSubject {
  return { kind: 'badge', key: badge_id };
}

type Verdict = { passed: true } | { passed: false; reason: string };

/** What an outcome means for one badge; undefined when it says nothing of it. */
function judge(badge: Badge, outcome: CheckOutcome, nowMs: number): Verdict | undefined {
  if (outcome.kind === 'unreachable') {
    const isLate = nowMs - fromTimestamp(badge.passed_at) > GRACE_MS;
    return isLate ? { passed: false, reason: `not reachable for two days: ${outcome.reason}` } : undefined;
  }
  const { version, passed, failed } = outcome;
  if (!passed.includes(badge.role))
    return { passed: false, reason: failed.get(badge.role) ?? 'no longer does what the role asks' };
  if (version !== undefined && major(version) === major(badge.version) && compareVersions(version, badge.version) >= 0)
    return { passed: true };
  return { passed: false, reason: `no longer speaks ${badge.version}` };
}

function afterVerdict(row: Badge, verdict: Verdict, now: string): Partial<Badge> {
  if (verdict.passed)
    return row.status === 'earned'
      ? { passed_at: now }
      : { status: 'earned', reason: null, earned_at: now, passed_at: now, revoked_at: null };
  return row.status === 'revoked' ? {} : { status: 'revoked', reason: verdict.reason, revoked_at: now };
}

function major(version: string): string {
  return version.split('.')[0] ?? '';
}
