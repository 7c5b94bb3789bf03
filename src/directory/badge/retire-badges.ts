import { toTimestamp } from '../../platform/clock.ts';
import type { Store } from '../../platform/store/collection.ts';
import { forgetChecks } from '../agent-check/keep-check.ts';
import { announcing } from '../feed/announcing.ts';
import type { FeedSubject } from '../feed/feed-event.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { endCheck } from '../scheduled-check/scheduled-check.ts';
import { badges } from './badge.ts';

/** An agent's badges as the feed knows them. */
export async function badgeSubjectsOf(
  store: Store,
  agentUrl: string,
  onSkipped?: (badge_ids: readonly string[]) => void,
): Promise<FeedSubject[]> {
  const { rows, skipped } = await store.collection(badges).find({ where: { agent_url: agentUrl }, limit: 1000 });
  if (skipped !== undefined) onSkipped?.(skipped);
  return rows.map(({ badge_id }) => ({ kind: 'badge', key: badge_id }));
}

/**
 * Revokes the badges of an agent that is about to be deleted, or is (rule R11). Safe to repeat, and to be repeated when
 * the answer is false: then one could not be read.
 */
export async function retireBadges(deps: FeedDeps, agentUrl: string): Promise<boolean> {
  const { store, clock } = deps;
  const revoked_at = toTimestamp(clock.now());
  const skipped: string[] = [];
  for (const subject of await badgeSubjectsOf(store, agentUrl, (ids) => skipped.push(...ids)))
    await announcing(deps, [subject], () =>
      store
        .collection(badges)
        .update(subject.key, (row) =>
          row.status === 'earned'
            ? { ...row, status: 'revoked', reason: 'the agent is no longer registered', revoked_at }
            : undefined,
        ),
    );
  return skipped.length === 0;
}

/**
 * Ends the checks of an agent that is gone, and forgets their history: after its deletion, so that one whose deletion failed is checked
 * on.
 */
export async function endChecks({ store }: Pick<FeedDeps, 'store'>, agentUrl: string): Promise<void> {
  // Last: as long as it is there, a worker does all of this again.
  await forgetChecks({ store }, agentUrl);
  await endCheck({ store }, 'badges', agentUrl);
}
