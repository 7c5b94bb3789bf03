import { toTimestamp } from '../../platform/clock.ts';
import { eachInTurn } from '../../platform/each-in-turn.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { recheckMediaBuy } from '../media-buy/recheck.ts';
import type { RecheckDependencies } from '../media-buy/recheck.ts';
import type { Creative } from './creative.ts';
import { openMediaBuys } from './uses.ts';

const BATCH = 200;

/**
 * Brings the media buys that use these creatives up to date, then notes that it is done. A creative that changed again
 * meanwhile stays owed. Repeatable; interrupted anywhere, what is left stays owed in the rows.
 */
export async function settleEffects(deps: RecheckDependencies, creatives: readonly Creative[]): Promise<void> {
  const owed = creatives.filter(({ effects_due_at }) => effects_due_at !== null);
  await eachInTurn(new Set(owed.map((creative) => creative.organization_id)), async (organization_id) => {
    const rows = owed.filter((creative) => creative.organization_id === organization_id);
    const changed = new Set(rows.map(({ creative_id }) => creative_id));
    await eachInTurn(openMediaBuys(deps.mediaBuys, organization_id), async ({ media_buy_id, packages }) => {
      const isConcerned = packages.some(({ creative_ids }) => creative_ids.some((id) => changed.has(id)));
      if (isConcerned) await recheckMediaBuy(deps, media_buy_id);
    });
    for (const { creative_key, revision } of rows) {
      await deps.creatives.update(creative_key, (row) =>
        row.revision === revision ? { ...row, effects_due_at: null } : undefined,
      );
    }
  });
}

/**
 * Does for all creatives what was left undone: a change of state whose buys have not been looked at for `overdueMs`.
 * Answers how many there were.
 */
export async function effectsDue(deps: RecheckDependencies, overdueMs: number): Promise<number> {
  const before = toTimestamp(deps.clock.now() - overdueMs);
  let found = 0;
  let after: string | undefined;
  do {
    const page = await deps.creatives.find({
      where: { effects_due_at: { lte: before, gt: '' } },
      sort: { field: 'effects_due_at', direction: 'asc' },
      limit: BATCH,
      ...(after !== undefined && { after }),
    });
    await settleEffects(deps, page.rows);
    found += page.rows.length;
    after = page.cursor;
  } while (after !== undefined);
  return found;
}

/** Looks again at every buy with an open impairment: one that ended or changed without a creative changing. */
export async function recheckImpaired(deps: RecheckDependencies): Promise<number> {
  const buys = new Set<MediaBuyId>();
  let after: string | undefined;
  do {
    const where = { open: true };
    const page = await deps.impairments.find({ where, limit: BATCH, ...(after !== undefined && { after }) });
    for (const { media_buy_id } of page.rows) buys.add(media_buy_id);
    after = page.cursor;
  } while (after !== undefined);
  await eachInTurn(buys, (media_buy_id) => recheckMediaBuy(deps, media_buy_id));
  return buys.size;
}
