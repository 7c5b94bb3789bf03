import { canonicalJson } from '../../platform/crypto/canonical-json.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { formatMoneyText, sumMinor } from '../../platform/money.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { lineEnd, lineStart } from '../../sales/media-buy/media-buy-package.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { earliestStart, flightProblems } from '../../sales/product/flight-limits.ts';
import type { FlightProblem } from '../../sales/product/flight-limits.ts';
import { MAX_FLIGHT_DAYS } from '../../sales/product/product.ts';
import type { Product } from '../../sales/product/product.ts';
import { START_TOLERANCE_MS } from '../create-media-buy/package-flight.ts';
import { startInstant } from '../create-media-buy/start-time.ts';
import { libraryOf } from '../../sales/creative/creative-library.ts';
import type { NamedLibrary } from '../../sales/creative/creative-library.ts';
import { creativeRef, withCreativeRef } from '../../sales/creative/creative-ref.ts';
import { namedCreativeProblems } from '../named-creatives.ts';
import { refusalOf } from '../../platform/problem.ts';
import type { Problem } from '../../platform/errors.ts';
import { changeBudgets, noPackage } from './budgets.ts';
import { planNewPackages } from './new-packages.ts';
import type { NewPackageFacts } from './new-packages.ts';
import { retarget } from './retarget.ts';
import type { PackageUpdate, Updates } from './schema.ts';

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

/** A package's creatives are checked as those of a new buy. One that the buy does not have is a problem already. */
function creativeProblems(buy: MediaBuy, updates: Updates, { library, products }: UpdateFacts): Problem[] {
  const brought = new Set(updates.packages?.flatMap(({ creatives = [] }) => creatives.map(idOfCreative)));
  return (updates.packages ?? []).flatMap(({ package_id, creative_ids = [] }, i) => {
    const line = buy.packages.find((one) => one.package_id === package_id);
    const product = products.find(({ product_id }) => product_id === line?.product_id);
    const meant = libraryOf(library, line?.creative_ids ?? []);
    // What an entry of the request brings is judged where it is brought.
    const at = ['updates', 'packages', i, 'creative_ids'];
    return creative_ids.flatMap((id, j) =>
      brought.has(id)
        ? []
        : namedCreativeProblems([id], at, meant, product).map((problem) => ({ ...problem, path: [...at, j] })),
    );
  });
}

/** One id is one creative: what packages of the buy bring and what new ones bring must be the same. */
function broughtTwice({ packages = [], new_packages = [] }: Updates): Problem[] {
  const known = new Map(
    packages.flatMap(({ creatives = [] }) => creatives.map((one) => [one.creative_id, canonicalJson(one)] as const)),
  );
  return new_packages.flatMap(({ creatives = [] }, i) =>
    creatives.flatMap((one, j): Problem[] => {
      const earlier = known.get(one.creative_id);
      if (earlier === undefined || earlier === canonicalJson(one)) return [];
      const path = ['updates', 'new_packages', i, 'creatives', j, 'creative_id'];
      const message = `${one.creative_id} is sent earlier in this request with other content; give each its own id`;
      return [{ code: 'INVALID_REQUEST', path, message }];
    }),
  );
}

function idOfCreative({ creative_id }: { creative_id: string }): string {
  return creative_id;
}

function planTimes(buy: MediaBuy, updates: Updates, { flightMs, products }: UpdateFacts, problems: Problem[]) {
  const { start_time, end_time } = buy;
  const orderedMs = Date.parse(buy.created_at);
  let startMs = Date.parse(start_time);
  const before = problems.length;
  const note = (field: 'start_time' | 'end_time', message: string, suggestion?: string) => {
    const problem: Problem = { code: 'INVALID_REQUEST', path: ['updates', field], message };
    problems.push({ ...problem, ...(suggestion !== undefined && { suggestion }) });
  };
  if (updates.start_time !== undefined) {
    const wantedMs = startInstant(updates.start_time, Math.max(flightMs, earliestStart(products, orderedMs)));
    if (startMs <= flightMs) note('start_time', 'the flight has begun; its start can no longer change');
    else if (wantedMs < flightMs - START_TOLERANCE_MS) note('start_time', 'is in the past; send a later one, or asap');
    startMs = Math.max(wantedMs, flightMs);
  }
  const endMs = Date.parse(updates.end_time ?? end_time);
  const field = updates.end_time === undefined ? 'start_time' : 'end_time';
  if (updates.end_time !== undefined && endMs <= flightMs) note('end_time', 'is in the past; send a later one');
  else if (endMs <= startMs) note(field, 'the end must be after the start');
  else if (endMs - startMs > MAX_FLIGHT_DAYS * DAY_MS) {
    note(field, `the end must be at most ${MAX_FLIGHT_DAYS} days after the start`);
  }
  if (problems.length === before && (updates.start_time ?? updates.end_time) !== undefined) {
    for (const { end, message, suggestion } of limitProblems(buy, products, { orderedMs, startMs, endMs })) {
      if (end === 'end') note(field, message, suggestion);
      else if (updates.start_time !== undefined) note('start_time', message, suggestion);
    }
  }
  const last = buy.packages.find((line) => endMs <= Date.parse(lineStart(buy, line)));
  if (updates.end_time !== undefined && problems.length === before && last !== undefined) {
    note('end_time', `package ${last.package_id} begins at ${lineStart(buy, last)} only; send a later one`);
  }
  const first = buy.packages.find((line) => Date.parse(lineEnd(buy, line)) <= startMs);
  if (updates.start_time !== undefined && problems.length === before && first !== undefined) {
    note('start_time', `package ${first.package_id} is over by ${lineEnd(buy, first)}; send an earlier one`);
  }
  return {
    start_time: updates.start_time === undefined ? start_time : toTimestamp(startMs),
    end_time: toTimestamp(endMs),
    flight: problems.length === before ? { startMs, endMs } : undefined,
  };
}

/** What the products' own limits say of a flight, each once: of packages with times of their own, by those. */
function limitProblems(
  buy: MediaBuy,
  products: readonly Product[],
  { orderedMs, startMs, endMs }: { orderedMs: number; startMs: number; endMs: number },
): FlightProblem[] {
  const moved = { start_time: toTimestamp(startMs), end_time: toTimestamp(endMs) };
  const found = buy.packages.flatMap((line) => {
    const product = products.find(({ product_id }) => product_id === line.product_id);
    const own = { startMs: Date.parse(lineStart(moved, line)), endMs: Date.parse(lineEnd(moved, line)) };
    return product === undefined ? [] : flightProblems(product, { orderedMs, ...own });
  });
  return [...new Map(found.map((problem) => [problem.message, problem])).values()];
}

function changePackage(
  line: MediaBuyPackage,
  { packages = [] }: Updates,
  { library, nameOf: nameBrought }: UpdateFacts,
): MediaBuyPackage {
  const wanted: Partial<PackageUpdate> = packages.find(({ package_id }) => package_id === line.package_id) ?? {};
  const meant = libraryOf(library, line.creative_ids);
  const brought = new Set(packages.flatMap(({ creatives = [] }) => creatives.map(idOfCreative)));
  const nameOf = (creative_id: string) =>
    brought.has(creative_id) ? nameBrought(creative_id) : creativeRef(meant.get(creative_id) ?? { creative_id });
  const named = wanted.creative_ids === undefined ? line.creative_ids : [...new Set(wanted.creative_ids.map(nameOf))];
  const own = (wanted.creatives ?? []).map(idOfCreative);
  return {
    ...line,
    creative_ids: own.map(nameOf).reduce<string[]>(withCreativeRef, named),
    paused: wanted.paused ?? line.paused,
  };
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
