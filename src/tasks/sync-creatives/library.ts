import { assignCreatives } from '../../sales/creative/assign.ts';
import type { Assignment, AssignmentOutcome } from '../../sales/creative/assign.ts';
import { planArchive } from '../../sales/creative/archive.ts';
import type { ArchivePlan } from '../../sales/creative/archive.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { CreativeInput } from '../../sales/creative/creative-input.ts';
import { keyWritten, planUpsert, upsertCreative } from '../../sales/creative/upsert.ts';
import type { UpsertCause, UpsertPlan } from '../../sales/creative/upsert.ts';
import type { CreativeUse } from '../../sales/creative/uses.ts';
import type { Format } from '../../sales/format/format.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { recheckMediaBuy } from '../../sales/media-buy/recheck.ts';
import type { SalesDependencies } from '../dependencies.ts';

/** What a sync does to the store: planned by the same pure functions whether it writes or not. */
export interface LibraryWriter {
  upsert(wanted: CreativeInput, format: Format): Promise<UpsertPlan>;
  /** `isWhole`: all of the wishes or none. */
  assign(media_buy_id: MediaBuyId, wishes: readonly Assignment[], isWhole: boolean): Promise<AssignmentOutcome[]>;
  /** Undefined when it is none of this sync's business. `unread`: buys that may use it, too. */
  archive(
    creative: Creative,
    uses: readonly CreativeUse[],
    unread: readonly string[],
  ): Promise<ArchivePlan | undefined>;
}

/** Writes. Every write is planned against the row as it stands, again when another writer came first. */
export function realLibrary(deps: SalesDependencies, cause: UpsertCause): LibraryWriter {
  return {
    upsert: (wanted, format) => upsertCreative(deps.creatives, wanted, format, cause),
    async assign(media_buy_id, wishes, isWhole) {
      for (;;) {
        const buy = await deps.mediaBuys.get(media_buy_id);
        if (buy === undefined) throw new Error(`media buy ${media_buy_id} is gone`);
        const plan = assignCreatives(buy, wishes, (id) => deps.catalog.products.get(id), cause);
        if (isWhole && plan.outcomes.some(isRefused)) return plan.outcomes.map(asRefused);
        const isWritten = plan.buy === undefined || (await deps.mediaBuys.replace(plan.buy)) !== undefined;
        if (!isWritten) continue;
        await recheckMediaBuy(deps, media_buy_id);
        return plan.outcomes;
      }
    },
    async archive({ creative_key }, uses, unread) {
      for (;;) {
        const stored = await deps.creatives.get(creative_key);
        const plan = stored && planArchive(stored, { uses, unread }, cause);
        if (plan?.action !== 'archived' || plan.isWritten) return plan;
        const row = await deps.creatives.replace(plan.row);
        if (row !== undefined) return { ...plan, row };
      }
    },
  };
}

/** Plans only. */
export function dryLibrary(deps: SalesDependencies, cause: UpsertCause): LibraryWriter {
  return {
    async upsert(wanted, format) {
      const stored = await deps.creatives.get(keyWritten(cause, wanted.creative_id));
      return planUpsert(stored, wanted, format, cause);
    },
    async assign(media_buy_id, wishes, isWhole) {
      const buy = await deps.mediaBuys.get(media_buy_id);
      if (buy === undefined) throw new Error(`media buy ${media_buy_id} is gone`);
      const { outcomes } = assignCreatives(buy, wishes, (id) => deps.catalog.products.get(id), cause);
      return isWhole && outcomes.some(isRefused) ? outcomes.map(asRefused) : outcomes;
    },
    archive: (creative, uses, unread) => Promise.resolve(planArchive(creative, { uses, unread }, cause)),
  };
}

function isRefused({ error }: AssignmentOutcome): boolean {
  return error !== undefined;
}

/** Of wishes that are met all or none. */
function asRefused({ creative_id, package_id, error }: AssignmentOutcome): AssignmentOutcome {
  return { creative_id, package_id, error: error ?? 'another operation on the same media buy could not be done' };
}
