import type { Assignment, AssignmentOutcome } from '../../sales/creative/assign.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { SalesDependencies } from '../dependencies.ts';
import { creativesSeen } from '../../sales/creative/creative-library.ts';
import { buysOfPackages } from '../own-rows.ts';
import type { LibraryWriter } from './library.ts';
import type { SyncCreativesRequest, SyncedCreative } from './schema.ts';
import type { SyncContext } from './sync-context.ts';

/** What the sync has come to so far: an entry per creative, and the rows of those that did not fail. */
interface SoFar {
  creatives: SyncedCreative[];
  synced: ReadonlyMap<string, Creative>;
}

/** Assigns creatives to packages, a buy at a time, and notes the outcomes in the entries of the creatives. */
export async function assignAll(
  deps: SalesDependencies,
  assignments: SyncCreativesRequest['assignments'],
  { creatives, synced }: SoFar,
  library: LibraryWriter,
  context: SyncContext,
): Promise<void> {
  const hasFailed = new Set(
    creatives.filter(({ creative_id }) => !synced.has(creative_id)).map((one) => one.creative_id),
  );
  const others = Object.keys(assignments).filter((id) => !synced.has(id) && !hasFailed.has(id));
  const stored = await creativesSeen(deps.creatives, context, others);
  creatives.push(...[...stored.values()].map(({ creative_id, status }) => unchanged(creative_id, status)));
  const buys = await buysOfPackages(deps.mediaBuys, context, Object.values(assignments).flat());
  const outcomes: AssignmentOutcome[] = [];
  const wishes = new Map<MediaBuyId, Assignment[]>();
  for (const [creative_id, package_ids] of Object.entries(assignments)) {
    const creative = synced.get(creative_id) ?? stored.get(creative_id);
    for (const package_id of new Set(package_ids)) {
      const media_buy_id = buys.get(package_id)?.media_buy_id;
      if (creative === undefined) outcomes.push({ creative_id, package_id, error: 'the creative was not synced' });
      else if (media_buy_id === undefined)
        outcomes.push({ creative_id, package_id, error: 'there is no such package' });
      else wishes.set(media_buy_id, [...(wishes.get(media_buy_id) ?? []), { creative, package_id }]);
    }
  }
  for (const [media_buy_id, ofBuy] of wishes) {
    await context.commit();
    outcomes.push(...(await library.assign(media_buy_id, ofBuy)));
  }
  for (const [creative_id, package_ids] of Object.entries(assignments)) {
    note(creatives, creative_id, package_ids, outcomes);
  }
}

function unchanged(creative_id: string, status: Creative['status']): SyncedCreative {
  return { creative_id, action: 'unchanged', status };
}

/** Writes what became of one creative's assignments into its first entry, in the order they were asked for. */
function note(
  creatives: readonly SyncedCreative[],
  creative_id: string,
  package_ids: readonly string[],
  outcomes: readonly AssignmentOutcome[],
): void {
  const entry = creatives.find((one) => one.creative_id === creative_id);
  const own = outcomes.filter((outcome) => outcome.creative_id === creative_id);
  const inOrder = [...new Set(package_ids)].flatMap((id) => own.filter(({ package_id }) => package_id === id));
  if (entry === undefined) return;
  entry.assigned_to = inOrder.filter(({ error }) => error === undefined).map(({ package_id }) => package_id);
  const errors = inOrder.flatMap(({ package_id, error }) =>
    error === undefined ? [] : [[package_id, error] as const],
  );
  if (errors.length > 0) entry.assignment_errors = Object.fromEntries(errors);
}
