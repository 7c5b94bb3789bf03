import { allPages, allRows } from '../../platform/store/all-rows.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { eachInTurn } from '../../platform/each-in-turn.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { effectsDueAfter, recheckAll } from '../media-buy/recheck-all.ts';
import { recheckMediaBuy } from '../media-buy/recheck.ts';
import type { RecheckDependencies } from '../media-buy/recheck.ts';
import type { Creative } from './creative.ts';
import { creativeRef } from './creative-ref.ts';

const BATCH = 200;

/**
 * Brings the media buys that use these creatives up to date, then notes that it is done. A creative that changed again
 * meanwhile stays owed, and one that a buy that cannot be read may use: that is tried again later. Repeatable; interrupted
 * anywhere, what is left stays owed in the rows.
 */
export async function settleEffects(deps: RecheckDependencies, creatives: readonly Creative[]): Promise<void> {
  const owed = creatives.filter(({ effects_due_at }) => effects_due_at !== null);
  await eachInTurn(new Set(owed.map((creative) => creative.organization_id)), async (organization_id) => {
    const rows = owed.filter((creative) => creative.organization_id === organization_id);
    const changed = new Set(rows.map(creativeRef));
    const open = { where: { organization_id, open: true }, sort: { field: 'buyer_ref', direction: 'asc' } } as const;
    const { leftOf, faults } = await recheckAll(deps, open, ({ packages }) =>
      packages.flatMap(({ creative_ids }) => creative_ids.filter((ref) => changed.has(ref))),
    );
    for (const seen of rows) {
      const { creative_key } = seen;
      await deps.creatives.update(creative_key, (row) => {
        const effects_due_at = effectsDueAfter(row.effects_due_at, leftOf(creativeRef(seen)), deps.clock.now());
        const isNews = isAsSeen(row, seen) && row.effects_due_at !== effects_due_at;
        return isNews ? { ...row, effects_due_at } : undefined;
      });
    }
    if (faults.length > 0) throw faults[0];
  });
}

/** Whether nothing has happened to a creative since; that somebody was told of it is nothing. */
function isAsSeen(row: Creative, seen: Creative): boolean {
  const [a, b] = [row, seen].map(({ version, status, updated_at, history }) =>
    [version, status, updated_at, history.length, history.at(-1)?.at].join(),
  );
  return a === b;
}

/**
 * Does for all creatives what was left undone: a change of state whose buys have not been looked at for `overdueMs`.
 * Answers how many there were.
 */
export async function effectsDue(deps: RecheckDependencies, overdueMs: number): Promise<number> {
  const before = toTimestamp(deps.clock.now() - overdueMs);
  const where = { effects_due_at: { lte: before, gt: '' } };
  const sort = { field: 'effects_due_at', direction: 'asc' } as const;
  let found = 0;
  await eachInTurn(allPages(deps.creatives, { where, sort, limit: BATCH }), async (rows) => {
    found += rows.length;
    await settleEffects(deps, rows);
  });
  return found;
}

/** Looks again at every buy with an open impairment: one that ended or changed without a creative changing. */
export async function recheckImpaired(deps: RecheckDependencies): Promise<number> {
  const buys = new Set<MediaBuyId>();
  for await (const { media_buy_id } of allRows(deps.impairments, { where: { open: true } })) buys.add(media_buy_id);
  await eachInTurn(buys, (media_buy_id) => recheckMediaBuy(deps, media_buy_id));
  return buys.size;
}
