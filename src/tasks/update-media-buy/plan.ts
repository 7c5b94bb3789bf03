import { formatMoneyText, sumMinor } from '../../platform/money.ts';
import { refusalOf } from '../../platform/problem.ts';
import type { Problem } from '../../platform/errors.ts';
import type { NamedLibrary } from '../../sales/creative/creative-library.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import type { Product } from '../../sales/product/product.ts';
import { changeBudgets, noPackage } from './budgets.ts';
import { broughtTwice, changedCreatives, creativeProblems } from './creatives.ts';
import { planNewPackages } from './new-packages.ts';
import type { NewPackageFacts } from './new-packages.ts';
import { retarget } from './retarget.ts';
import type { Updates } from './schema.ts';
import { planTimes } from './times.ts';

/** What a plan is made against, besides the buy. */
export interface UpdateFacts extends NewPackageFacts {
  /** What the ids that the updates name mean. */
  library: NamedLibrary;
  /** What is wrong with the creatives that packages of the buy bring. */
  broughtProblems: readonly Problem[];
  /** What a package has spent, in minor units. */
  spentMinor: (package_id: string) => number;
  /** The products of the buy that are still in the catalog. */
  products: readonly Product[];
  /** What the buy is to be called, by a buyer whose words have a name for it; absent: as it is. */
  name?: string | undefined;
}

/** What an update comes to: the parts of the buy that it changes. */
export interface UpdatePlan {
  /** Of what there is; the total is that of the new packages, too. */
  changed: Pick<MediaBuy, 'packages' | 'start_time' | 'end_time' | 'total_budget_minor'>;
  new_packages: MediaBuyPackage[];
  status: 'active' | 'paused' | 'canceled' | undefined;
  affected_packages: string[];
  /** What changes, by name, for the history. */
  changes: string[];
  /** Why, of a cancellation. */
  reason: string | undefined;
  /** What it is called then; undefined: as before. */
  name: string | undefined;
}

/**
 * Checks updates against the buy and the calendar (rule B6). Pure; reports every problem at once.
 * @throws {AppError} all that is wrong (see `refusalOf`).
 */
export function planUpdate(buy: MediaBuy, updates: Updates, facts: UpdateFacts): UpdatePlan {
  const problems: Problem[] = [
    ...shapeProblems(buy, updates, facts),
    ...creativeProblems(buy, updates, facts),
    ...facts.broughtProblems,
    ...broughtTwice(updates),
  ];
  const { flight, ...times } = planTimes(buy, updates, facts, problems);
  const packages = changeBudgets(buy, updates, facts, problems).map((line) =>
    changePackage(retarget(line, updates, facts, problems), updates, facts),
  );
  const new_packages = planNewPackages(buy, updates.new_packages ?? [], facts, { flight, problems });
  const total_budget_minor = total(buy, [...packages, ...new_packages], problems);
  if (problems.length > 0) throw refusalOf(problems, { updates });
  const changed = { ...times, packages, total_budget_minor };
  const touched = packages.filter((line, i) => JSON.stringify(line) !== JSON.stringify(buy.packages[i]));
  const concernsAll = updates.status ?? updates.start_time ?? updates.end_time;
  return {
    changed,
    new_packages,
    status: updates.status,
    affected_packages: [...(concernsAll === undefined ? touched : packages), ...new_packages].map(idOf),
    changes: [...namesIn(updates), ...(facts.name === undefined ? [] : ['name'])],
    reason: updates.cancellation_reason,
    name: facts.name,
  };
}

/** What updates change; a reason changes nothing, and says why something does. */
function namesIn(updates: Updates): string[] {
  return Object.entries(updates).flatMap(([name, value]) =>
    value === undefined || name === 'cancellation_reason' ? [] : [name],
  );
}

function idOf({ package_id }: MediaBuyPackage): string {
  return package_id;
}

function shapeProblems(buy: MediaBuy, updates: Updates, { name }: Pick<UpdateFacts, 'name'>): Problem[] {
  const named = namesIn(updates).length + (name === undefined ? 0 : 1);
  if (named === 0) {
    const message =
      'nothing to change; send status, budget_change, start_time, end_time, targeting, packages, new_packages or a webhook';
    return [{ code: 'INVALID_REQUEST', path: ['updates'], message }];
  }
  const problems: Problem[] = [];
  if (updates.status === 'canceled' && named > 1) {
    const message = 'a cancellation ends everything else; send it alone';
    problems.push({ code: 'INVALID_REQUEST', path: ['updates', 'status'], message });
  }
  if (updates.cancellation_reason !== undefined && updates.status !== 'canceled') {
    const message = 'send it with the status canceled alone';
    problems.push({ code: 'INVALID_REQUEST', path: ['updates', 'cancellation_reason'], message });
  }
  const seen = new Set<string>();
  for (const [i, { package_id, ...changes }] of (updates.packages ?? []).entries()) {
    const path = ['updates', 'packages', i, 'package_id'];
    if (!buy.packages.some((line) => line.package_id === package_id)) {
      problems.push({ code: 'PACKAGE_NOT_FOUND', path, message: noPackage(buy, package_id) });
    } else if (seen.has(package_id)) {
      problems.push({ code: 'INVALID_REQUEST', path, message: 'is named by an earlier entry; merge the two' });
    } else if (Object.values(changes).every((value) => value === undefined)) {
      const message = 'changes nothing; send budget, bid_price, targeting_overlay, creative_ids, creatives or paused';
      problems.push({ code: 'INVALID_REQUEST', path: path.slice(0, -1), message });
    }
    seen.add(package_id);
  }
  return problems;
}

function changePackage(line: MediaBuyPackage, updates: Updates, facts: UpdateFacts): MediaBuyPackage {
  const { paused } = updates.packages?.find(({ package_id }) => package_id === line.package_id) ?? {};
  return { ...line, creative_ids: changedCreatives(line, updates, facts), paused: paused ?? line.paused };
}

function total(buy: MediaBuy, packages: readonly MediaBuyPackage[], problems: Problem[]): number {
  try {
    return sumMinor(packages.map(({ budget_minor }) => budget_minor));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `the budgets add up to more than can be held; they are ${formatMoneyText(buy.total_budget_minor, buy.currency)} ${buy.currency} now`;
    problems.push({ code: 'INVALID_REQUEST', path: ['updates'], message });
    return buy.total_budget_minor;
  }
}
