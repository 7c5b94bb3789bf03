import type { TaskId } from '../../platform/task-id.ts';
import { actionRefusal } from '../media-buy/buyer-actions.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../media-buy/media-buy-package.ts';
import type { Product } from '../product/product.ts';
import { assignmentNote } from './assignment-note.ts';
import type { Creative } from './creative.ts';
import { creativeIdOf, creativeRef, withCreativeRef } from './creative-ref.ts';
import { misfitOf } from './fit.ts';

/** What is to be assigned. */
export type Assigned = Pick<Creative, 'account_id' | 'creative_id' | 'status' | 'format_id'>;

/** One wish: this creative in this package. */
export type Assignment =
  | { operation: 'assign'; creative: Assigned; package_id: string }
  /** In the place of another, by its id. */
  | { operation: 'replace'; creative: Assigned; package_id: string; replaces: string }
  /** Out of it, whichever the package names by the id. */
  | { operation: 'unassign'; creative_id: string; package_id: string };

/** What became of a wish; `error` in words when it could not be. */
export interface AssignmentOutcome {
  creative_id: string;
  package_id: string;
  error?: string;
  /** It is no longer there, as it was to be. */
  isOut?: true;
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
 * D4.creatives), and takes others out; of a change that is on its way to the ad server, too, so that what comes later stays. What is so
 * already counts as done, so that a repeat answers the same. Pure.
 */
export function assignCreatives(
  buy: MediaBuy,
  wishes: readonly Assignment[],
  productOf: (product_id: string) => Product | undefined,
  { at, task_id }: { at: string; task_id: TaskId },
): AssignmentPlan {
  const packages = buy.packages.map((line) => ({ ...line, creative_ids: [...line.creative_ids] }));
  const change = buy.open_change?.change;
  const coming = change?.packages.map((line) => ({ ...line }));
  const outcomes = wishes.map((wish): AssignmentOutcome => {
    const { package_id } = wish;
    const creative_id = wish.operation === 'unassign' ? wish.creative_id : wish.creative.creative_id;
    const line = packages.find((one) => one.package_id === package_id);
    const onItsWay: Naming | undefined = coming?.find((one) => one.package_id === package_id);
    const lists = [line, onItsWay].filter(namesCreatives);
    const wanted = wantedOfEach(lists, wish);
    const isSo = lists.every(({ creative_ids }, i) => isSame(creative_ids, wanted?.[i] ?? []));
    if (line !== undefined && wanted !== undefined && isSo) return outcomeOf(wish, creative_id);
    const error = refusalOf(buy, line, wish, { wanted, productOf });
    if (error !== undefined) return { creative_id, package_id, error };
    for (const [i, list] of lists.entries()) list.creative_ids = wanted?.[i] ?? list.creative_ids;
    return outcomeOf(wish, creative_id);
  });
  const pairs: [Naming, Naming | undefined][] = [
    ...packages.map((line, i): [Naming, Naming | undefined] => [line, buy.packages[i]]),
    ...(coming ?? []).map((line, i): [Naming, Naming | undefined] => [line, change?.packages[i]]),
  ];
  if (pairs.every(([after, before]) => isSame(after.creative_ids ?? [], before?.creative_ids ?? []))) {
    return { buy: undefined, outcomes };
  }
  const added = pairs.flatMap(([after, before]) => newIn(after, before));
  const removed = pairs.flatMap(([after, before]) => newIn(before, after));
  const { status, history } = buy;
  const note = assignmentNote(added, removed);
  const event = { at, action: 'creatives_assigned', actor: 'buyer' as const, from_status: status, to_status: status };
  const open_change = buy.open_change &&
    change &&
    coming && { ...buy.open_change, change: { ...change, packages: coming } };
  const next = { ...buy, packages, updated_at: at, history: [...history, { ...event, note, task_id }] };
  return { buy: { ...next, ...(open_change && { open_change }) }, outcomes };
}

function outcomeOf({ operation, package_id }: Assignment, creative_id: string): AssignmentOutcome {
  return { creative_id, package_id, ...(operation === 'unassign' && { isOut: true as const }) };
}

/** What a package names once a wish is met; undefined where it has not what is to be replaced. */
function wantedRefs(refs: readonly string[], wish: Assignment): string[] | undefined {
  if (wish.operation === 'unassign') return refs.filter((ref) => creativeIdOf(ref) !== wish.creative_id);
  const ref = creativeRef(wish.creative);
  if (wish.operation === 'assign') return refs.includes(ref) ? [...refs] : withCreativeRef(refs, ref);
  const at = refs.findIndex((one) => creativeIdOf(one) === wish.replaces);
  if (at === -1) return refs.includes(ref) ? [...refs] : undefined;
  const { creative_id } = wish.creative;
  return refs.with(at, ref).filter((one, i) => i === at || creativeIdOf(one) !== creative_id);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((ref, i) => ref === others[i]);
}

/** What names creatives of a package: itself, or a change of it that is on its way to the ad server. */
interface Naming {
  creative_ids?: string[] | undefined;
}

type Names = Pick<MediaBuyPackage, 'creative_ids'>;

function namesCreatives(one: Naming | undefined): one is Names {
  return one?.creative_ids !== undefined;
}

/** What each of these lists of a package names once a wish is met; undefined where none has what is to be replaced. */
function wantedOfEach(lists: readonly Names[], wish: Assignment): string[][] | undefined {
  const wanted = lists.map(({ creative_ids }) => wantedRefs(creative_ids, wish));
  if (wish.operation === 'unassign') return wanted.map((refs) => refs ?? []);
  if (wanted.every((refs) => refs === undefined)) return undefined;
  // Where another creative is on its way in or out, the new one comes beside what is there.
  const ref = creativeRef(wish.creative);
  return wanted.map((refs, i) => refs ?? withCreativeRef(lists[i]?.creative_ids ?? [], ref));
}

/** The creatives that were not named there before. */
function newIn(after: Naming | undefined, before: Naming | undefined): string[] {
  return after?.creative_ids?.filter((ref) => before?.creative_ids?.includes(ref) !== true) ?? [];
}

function refusalOf(
  buy: MediaBuy,
  line: MediaBuyPackage | undefined,
  wish: Assignment,
  {
    wanted,
    productOf,
  }: { wanted: readonly string[][] | undefined; productOf: (product_id: string) => Product | undefined },
): string | undefined {
  if (line === undefined) return 'there is no such package any more';
  const refusal = actionRefusal(buy, 'sync_creatives');
  if (refusal !== undefined) return refusal.message;
  if (wish.operation === 'unassign') return undefined;
  if (wanted === undefined) return 'the package does not name the creative that is to be replaced';
  if (wanted.some((refs) => refs.length > MAX_CREATIVES))
    return `the package holds ${MAX_CREATIVES} creatives, which is the most`;
  const misfit = misfitOf(wish.creative, productOf(line.product_id));
  if (misfit === undefined) return undefined;
  return misfit.suggestion === undefined ? misfit.message : `${misfit.message}; send ${misfit.suggestion}`;
}
