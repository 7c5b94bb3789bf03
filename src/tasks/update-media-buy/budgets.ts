import type { ErrorCode } from '../../platform/errors.ts';
import { apportion, formatMoneyText, MAX_MINOR, parseMoney } from '../../platform/money.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import type { Problem } from '../../platform/errors.ts';
import type { Updates } from './schema.ts';

/**
 * The packages with the budgets and bids that updates ask for (rules B3, B4, B6). What is wrong is added to
 * `problems`. Pure.
 */
export function changeBudgets(buy: MediaBuy, updates: Updates, spent: Spent, problems: Problem[]): MediaBuyPackage[] {
  const note: Note = (code, path, message, suggestion) => {
    problems.push({ code, path: ['updates', ...path], message, ...(suggestion !== undefined && { suggestion }) });
  };
  // What is wrong with an amount leaves it as it was, which the terms then have nothing to say to.
  const changed = named(applyChange(buy, updates, note), buy.currency, updates, note);
  for (const [i, line] of changed.entries()) {
    checkTerms(line, buy.packages[i], buy.currency, updates, note);
    checkSpent(line, buy.packages[i], buy.currency, { updates, spent, note });
  }
  return changed;
}

export interface Spent {
  /** What a package has spent, in minor units. */
  spentMinor: (package_id: string) => number;
}

type Note = (code: ErrorCode, path: readonly PropertyKey[], message: string, suggestion?: string) => void;

/** `budget_change`: to one package, or to all, each by its share of the total. */
function applyChange(buy: MediaBuy, { budget_change, packages = [] }: Updates, note: Note): MediaBuyPackage[] {
  if (budget_change === undefined) return buy.packages;
  if (packages.some(({ budget }) => budget !== undefined)) {
    note('INVALID_REQUEST', ['budget_change'], 'send either budget_change or budgets of packages, not both');
    return buy.packages;
  }
  const isForAll = typeof budget_change === 'number';
  const path = isForAll ? ['budget_change'] : ['budget_change', 'amount'];
  const parsed = parseMoney(isForAll ? budget_change : budget_change.amount, buy.currency, 'any');
  if (!parsed.ok) note('INVALID_REQUEST', path, parsed.reason);
  else if (parsed.minor === 0)
    note('INVALID_REQUEST', path, 'must not be 0; send what to add, or less than 0 to take away');
  if (!parsed.ok) return buy.packages;
  if (!isForAll) {
    const { package_id } = budget_change;
    if (!buy.packages.some((line) => line.package_id === package_id)) {
      note('PACKAGE_NOT_FOUND', ['budget_change', 'package_id'], noPackage(buy, package_id));
    }
    return buy.packages.map((line) => (line.package_id === package_id ? grown(line, parsed.minor, path, note) : line));
  }
  if (buy.total_budget_minor + parsed.minor <= 0) {
    const has = `${formatMoneyText(buy.total_budget_minor, buy.currency)} ${buy.currency}`;
    note('BUDGET_TOO_LOW', path, `takes away all there is; the budget is ${has}`);
    return buy.packages;
  }
  const shares = apportion(
    parsed.minor,
    buy.packages.map(({ budget_minor }) => budget_minor),
  );
  return buy.packages.map((line, i) => grown(line, shares[i] ?? 0, path, note));
}

function grown(line: MediaBuyPackage, byMinor: number, path: readonly PropertyKey[], note: Note): MediaBuyPackage {
  const budget_minor = line.budget_minor + byMinor;
  if (budget_minor > 0 && budget_minor <= MAX_MINOR) return { ...line, budget_minor };
  note(
    budget_minor > 0 ? 'INVALID_REQUEST' : 'BUDGET_TOO_LOW',
    path,
    `would leave package ${line.package_id} with a budget out of bounds`,
  );
  return line;
}

/** Budgets and bids named per package. */
function named(lines: MediaBuyPackage[], currency: string, { packages = [] }: Updates, note: Note): MediaBuyPackage[] {
  return lines.map((line) => {
    const i = packages.findIndex(({ package_id }) => package_id === line.package_id);
    const { budget, bid_price } = packages[i] ?? {};
    const amount = (value: number | undefined, field: string, kept: number | null) => {
      if (value === undefined) return kept;
      const parsed = parseMoney(value, currency);
      if (!parsed.ok) note('INVALID_REQUEST', ['packages', i, field], parsed.reason);
      return parsed.ok ? parsed.minor : kept;
    };
    if (bid_price !== undefined && line.pricing_model !== 'cpm-auction') {
      note('INVALID_REQUEST', ['packages', i, 'bid_price'], 'the package has a fixed price; leave the bid out');
      return line;
    }
    return {
      ...line,
      budget_minor: amount(budget, 'budget', line.budget_minor) ?? line.budget_minor,
      bid_price_minor: amount(bid_price, 'bid_price', line.bid_price_minor),
    };
  });
}

/** What was promised at the sale still binds: least spend, flat fee, floor. */
function checkTerms(
  line: MediaBuyPackage,
  before: MediaBuyPackage | undefined,
  currency: string,
  updates: Updates,
  note: Note,
): void {
  const i = (updates.packages ?? []).findIndex(({ package_id }) => package_id === line.package_id);
  const money = (minor: number) => `${formatMoneyText(minor, currency)} ${currency}`;
  const budgetPath = budgetPathOf(line, updates);
  const isFlat = line.pricing_model === 'flat-fee';
  const least = isFlat ? (line.price_minor ?? 0) : (line.min_spend_minor ?? 0);
  if (line.budget_minor !== before?.budget_minor && line.budget_minor < least) {
    const why = isFlat ? 'the price' : 'the least spend';
    const message = `leaves package ${line.package_id} below ${why} of ${money(least)}`;
    note('BUDGET_TOO_LOW', budgetPath, message, `${money(least)} or more`);
  }
  const { bid_price_minor, floor_minor } = line;
  if (bid_price_minor === null || bid_price_minor === before?.bid_price_minor) return;
  if (floor_minor !== null && bid_price_minor < floor_minor) {
    const message = `is below the floor of ${money(floor_minor)}`;
    note('INVALID_REQUEST', ['packages', i, 'bid_price'], message, `bid ${money(floor_minor)} or more`);
  }
  if (bid_price_minor > line.budget_minor * 1000) {
    note('BUDGET_TOO_LOW', ['packages', i, 'bid_price'], 'the budget does not pay for one impression at this bid');
  }
}

/** What is spent cannot be taken back. */
function checkSpent(
  line: MediaBuyPackage,
  before: MediaBuyPackage | undefined,
  currency: string,
  { updates, spent, note }: { updates: Updates; spent: Spent; note: Note },
): void {
  const spentMinor = spent.spentMinor(line.package_id);
  if (line.budget_minor === before?.budget_minor || line.budget_minor >= spentMinor) return;
  const money = `${formatMoneyText(spentMinor, currency)} ${currency}`;
  const message = `leaves package ${line.package_id} with less than the ${money} it has spent`;
  note('BUDGET_TOO_LOW', budgetPathOf(line, updates), message, `${money} or more`);
}

function budgetPathOf({ package_id }: MediaBuyPackage, { packages = [] }: Updates): PropertyKey[] {
  const i = packages.findIndex((wanted) => wanted.package_id === package_id);
  return packages[i]?.budget === undefined ? ['budget_change'] : ['packages', i, 'budget'];
}

/** Words for a package that the buy does not have. */
export function noPackage(buy: MediaBuy, package_id: string): string {
  const known = buy.packages.map((line) => line.package_id).join(', ');
  return `no package of this media buy has the id ${package_id}; it has ${known}`;
}
