import type { TaskId } from '../../platform/task-id.ts';
import { actionRefusal } from '../media-buy/buyer-actions.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../media-buy/media-buy-package.ts';
import type { Product } from '../product/product.ts';
import type { Creative } from './creative.ts';
import { creativeIdOf, creativeRef, withCreativeRef } from './creative-ref.ts';
import { misfitOf } from './fit.ts';

/** One wish: this creative in this package. */
export interface Assignment {
  creative: Pick<Creative, 'account_id' | 'creative_id' | 'status' | 'format_id'>;
  package_id: string;
}

/** What became of a wish; `error` in words when it could not be. */
export interface AssignmentOutcome {
  creative_id: string;
  package_id: string;
  error?: string;
}

/** The buy afterwards, undefined when it stays as it is; and an outcome for each wish, in their order. */
export interface AssignmentPlan {
  buy: MediaBuy | undefined;
  outcomes: AssignmentOutcome[];
}

/** A package holds at most this many creatives. */
const MAX_CREATIVES = 100;

/**
 * Assigns creatives to packages of one buy, beside those that are there, or in the place of another of the same id (rules B11,
 * D4.creatives). What is assigned already counts as done, so that a repeat answers the same. Pure.
 */
export function assignCreatives(
  buy: MediaBuy,
  wishes: readonly Assignment[],
  productOf: (product_id: string) => Product | undefined,
  { at, task_id }: { at: string; task_id: TaskId },
): AssignmentPlan {
  const packages = buy.packages.map((line) => ({ ...line, creative_ids: [...line.creative_ids] }));
  const outcomes = wishes.map(({ creative, package_id }): AssignmentOutcome => {
    const { creative_id } = creative;
    const ref = creativeRef(creative);
    const line = packages.find((one) => one.package_id === package_id);
    if (line?.creative_ids.includes(ref) === true) return { creative_id, package_id };
    const error = refusalOf(buy, line, creative, productOf);
    if (error === undefined && line !== undefined) line.creative_ids = withCreativeRef(line.creative_ids, ref);
    return { creative_id, package_id, ...(error !== undefined && { error }) };
  });
  const added = packages.flatMap((line, i) => addedTo(line, buy.packages[i]));
  if (added.length === 0) return { buy: undefined, outcomes };
  const { status, history } = buy;
  const note = `creatives assigned: ${[...new Set(added.map(creativeIdOf))].join(', ')}`.slice(0, 500);
  const event = { at, action: 'creatives_assigned', actor: 'buyer' as const, from_status: status, to_status: status };
  const open_change = buy.open_change && alsoIn(buy.open_change, buy.packages, packages);
  const next = { ...buy, packages, updated_at: at, history: [...history, { ...event, note, task_id }] };
  return { buy: { ...next, ...(open_change !== undefined && { open_change }) }, outcomes };
}

/** The creatives of a package that were not there before. */
function addedTo(after: MediaBuyPackage | undefined, before: MediaBuyPackage | undefined): string[] {
  return after?.creative_ids.filter((ref) => before?.creative_ids.includes(ref) !== true) ?? [];
}

/** A change on its way to the ad server that names a package's creatives keeps those that came meanwhile. */
function alsoIn(
  open: NonNullable<MediaBuy['open_change']>,
  before: readonly MediaBuyPackage[],
  after: readonly MediaBuyPackage[],
): NonNullable<MediaBuy['open_change']> {
  if (open.change === undefined) return open;
  const packages = open.change.packages.map((line) => {
    const i = after.findIndex(({ package_id }) => package_id === line.package_id);
    const added = addedTo(after[i], before[i]);
    return line.creative_ids === undefined
      ? line
      : { ...line, creative_ids: added.reduce<string[]>(withCreativeRef, line.creative_ids) };
  });
  return { ...open, change: { ...open.change, packages } };
}

function refusalOf(
  buy: MediaBuy,
  line: MediaBuyPackage | undefined,
  creative: Assignment['creative'],
  productOf: (product_id: string) => Product | undefined,
): string | undefined {
  if (line === undefined) return 'there is no such package any more';
  const refusal = actionRefusal(buy, 'sync_creatives');
  if (refusal !== undefined) return refusal.message;
  if (line.creative_ids.length >= MAX_CREATIVES)
    return `the package holds ${MAX_CREATIVES} creatives, which is the most`;
  const misfit = misfitOf(creative, productOf(line.product_id));
  if (misfit === undefined) return undefined;
  return misfit.suggestion === undefined ? misfit.message : `${misfit.message}; send ${misfit.suggestion}`;
}
