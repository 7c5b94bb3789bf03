import type { TaskId } from '../../platform/task-id.ts';
import { actionRefusal } from '../media-buy/buyer-actions.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../media-buy/media-buy-package.ts';
import type { Product } from '../product/product.ts';
import type { Creative } from './creative.ts';
import { misfitOf } from './fit.ts';

/** One wish: this creative in this package. */
export interface Assignment {
  creative: Pick<Creative, 'creative_id' | 'status' | 'format_id'>;
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
 * Assigns creatives to packages of one buy, beside those that are there (rule B11). What is assigned already counts
 * as done, so that a repeat answers the same. Pure.
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
    const line = packages.find((one) => one.package_id === package_id);
    if (line?.creative_ids.includes(creative_id) === true) return { creative_id, package_id };
    const error = refusalOf(buy, line, creative, productOf);
    if (error === undefined) line?.creative_ids.push(creative_id);
    return { creative_id, package_id, ...(error !== undefined && { error }) };
  });
  const added = packages.flatMap(({ creative_ids }, i) =>
    creative_ids.slice(buy.packages[i]?.creative_ids.length ?? 0),
  );
  if (added.length === 0) return { buy: undefined, outcomes };
  const { status, history } = buy;
  const note = `creatives assigned: ${[...new Set(added)].join(', ')}`.slice(0, 500);
  const event = { at, action: 'creatives_assigned', actor: 'buyer' as const, from_status: status, to_status: status };
  const open_change = buy.open_change && alsoIn(buy.open_change, buy.packages, packages);
  const next = { ...buy, packages, updated_at: at, history: [...history, { ...event, note, task_id }] };
  return { buy: { ...next, ...(open_change !== undefined && { open_change }) }, outcomes };
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
    const added = after[i]?.creative_ids.slice(before[i]?.creative_ids.length ?? 0) ?? [];
    return line.creative_ids === undefined
      ? line
      : { ...line, creative_ids: [...new Set([...line.creative_ids, ...added])] };
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
