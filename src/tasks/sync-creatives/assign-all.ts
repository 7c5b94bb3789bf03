import type { Assigned, Assignment, AssignmentOutcome } from '../../sales/creative/assign.ts';
import type { Creative } from '../../sales/creative/creative.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { SalesDependencies } from '../dependencies.ts';
import { creativesSeen } from '../../sales/creative/creative-library.ts';
import { buysOfPackages } from '../own-rows.ts';
import type { LibraryWriter } from './library.ts';
import type { AssignmentOperation, SyncCreativesRequest, SyncedCreative } from './schema.ts';
import type { SyncContext } from './sync-context.ts';

/** What the sync has come to so far: an entry per creative, and the rows of those that did not fail. */
interface SoFar {
  creatives: SyncedCreative[];
  synced: ReadonlyMap<string, Creative>;
}

/** What a request says of creatives in packages, one by one, in its order. Pure. */
export function operationsOf({
  assignments = {},
  assignment_operations = [],
}: Partial<Pick<SyncCreativesRequest, 'assignments' | 'assignment_operations'>>): AssignmentOperation[] {
  const assigned = Object.entries(assignments).flatMap(([creative_id, package_ids]) =>
    [...new Set(package_ids)].map((package_id) => ({ operation: 'assign' as const, creative_id, package_id })),
  );
  return [...assigned, ...assignment_operations];
}

/** The same as a wish of the buy's; undefined for a creative that is not there. Pure. */
export function wishOf(operation: AssignmentOperation, creativeOf: (id: string) => Assigned | undefined) {
  if (operation.operation === 'unassign') return operation satisfies Assignment;
  const creative = creativeOf(operation.creative_id);
  if (creative === undefined) return undefined;
  const { package_id } = operation;
  const wish: Assignment =
    operation.operation === 'assign'
      ? { operation: 'assign', creative, package_id }
      : { operation: 'replace', creative, package_id, replaces: operation.replaces_creative_id };
  return wish;
}

/** Assigns creatives to packages or takes them out, a buy at a time, and notes the outcomes in the entries of the creatives. */
export async function assignAll(
  deps: SalesDependencies,
  request: Parameters<typeof operationsOf>[0],
  { creatives, synced }: SoFar,
  library: LibraryWriter,
  context: SyncContext,
): Promise<void> {
  const operations = operationsOf(request);
  const isWhole = request.assignment_operations !== undefined;
  const hasFailed = new Set(
    creatives.filter(({ creative_id }) => !synced.has(creative_id)).map((one) => one.creative_id),
  );
  const ids = [...new Set(operations.map(({ creative_id }) => creative_id))];
  const others = ids.filter((id) => !synced.has(id) && !hasFailed.has(id));
  const stored = await creativesSeen(deps.creatives, context, others);
  const outOnly = new Set(operations.flatMap((one) => (one.operation === 'unassign' ? [one.creative_id] : [])));
  creatives.push(
    ...others
      .filter((id) => stored.has(id) || outOnly.has(id))
      .map((creative_id) => unchanged(creative_id, stored.get(creative_id)?.status)),
  );
  const package_ids = operations.map(({ package_id }) => package_id);
  const buys = await buysOfPackages(deps.mediaBuys, context, package_ids);
  const outcomes: AssignmentOutcome[] = [];
  const wishes = new Map<MediaBuyId, Assignment[]>();
  for (const operation of operations) {
    const { creative_id, package_id } = operation;
    const wish = wishOf(operation, (id) => synced.get(id) ?? stored.get(id));
    const media_buy_id = buys.get(package_id)?.media_buy_id;
    if (wish === undefined) outcomes.push({ creative_id, package_id, error: 'the creative was not synced' });
    else if (media_buy_id === undefined) outcomes.push({ creative_id, package_id, error: 'there is no such package' });
    else wishes.set(media_buy_id, [...(wishes.get(media_buy_id) ?? []), wish]);
  }
  for (const [media_buy_id, ofBuy] of wishes) {
    await context.commit();
    outcomes.push(...(await library.assign(media_buy_id, ofBuy, isWhole)));
  }
  for (const creative_id of ids) note(creatives, creative_id, package_ids, outcomes);
}

function unchanged(creative_id: string, status: Creative['status'] | undefined): SyncedCreative {
  return { creative_id, action: 'unchanged', ...(status !== undefined && { status }) };
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
  entry.assigned_to = inOrder
    .filter(({ error, isOut }) => error === undefined && isOut !== true)
    .map(({ package_id }) => package_id);
  const errors = inOrder.flatMap(({ package_id, error }) =>
    error === undefined ? [] : [[package_id, error] as const],
  );
  if (errors.length > 0) entry.assignment_errors = Object.fromEntries(errors);
}
