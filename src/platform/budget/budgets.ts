import type { Clock } from '../clock.ts';
import type { AppError } from '../errors.ts';
import type { Counters } from '../metrics/metrics.ts';
import type { RateLimiter } from '../redis/rate-limit.ts';
import type { HeldPlace } from '../redis/places-redis.ts';
import { BUDGETS } from './budget-table.ts';
import type { Budget, BudgetName, BudgetSizes, HeldBudget, RowsBudget, SpentBudget } from './budget-table.ts';
import { overBudget } from './over-budget.ts';
import { placesHere } from './places-here.ts';
import { createShares } from './shares.ts';

/** The budgets of this installation (rule S2). Keys say whose use it is; none leaves for a log, a metric or an answer. */
export interface Budgets {
  /** How much there is, in what is counted: bytes where the unit is megabytes. */
  size(name: BudgetName): number;
  /** How much there is of each, in its unit. */
  sizes(): [name: BudgetName, size: number][];
  /**
   * Takes `amount` (default 1) of what is spent. Nothing is taken by what is refused. Counted in Redis; while Redis is away, by
   * each process for itself. @throws {AppError} `RATE_LIMITED`.
   */
  take(name: SpentBudget, key: string, amount?: number): Promise<BudgetUse>;
  /**
   * The same for what is asked for at every request: shares of it are taken from Redis ahead, so that few wait for a round trip.
   * Nothing of it can be given back. What it says is left is as of when this process last asked. @throws {AppError} `RATE_LIMITED`.
   */
  draw(name: SpentBudget, key: string, amount?: number): Promise<BudgetLeft>;
  /** Holds one of what is held until it is let go. @throws {AppError} `RATE_LIMITED`. */
  hold(name: HeldBudget, key: string): Promise<HeldPlace>;
  /** Refuses whoever has nothing left, and takes nothing. @throws {AppError} `RATE_LIMITED`. */
  check(name: SpentBudget, key: string): Promise<void>;
  /**
   * Remembers that `key` has proved itself, for 30 days from the first time on, so that what strangers spend need not hinder
   * it. Kept in Redis, which may forget.
   */
  trust(key: string): Promise<void>;
  isTrusted(key: string): Promise<boolean>;
  /** Refuses one more row to whoever has `count` already. @throws {AppError} `RATE_LIMITED`. */
  checkRows(name: RowsBudget, count: number): void;
  /**
   * The refusal of whoever is over a budget, for those who count by themselves; it is counted as refused.
   * @param freeAtMs when there is room again, in milliseconds since the Unix epoch; absent: nobody knows.
   */
  refusal(name: BudgetName, freeAtMs?: number): AppError;
}

export interface BudgetLeft {
  left: number;
  /** Whole seconds until all of it is free again, at least 1. */
  resetSeconds: number;
}

/** What is left after taking. */
export interface BudgetUse extends BudgetLeft {
  /** Undoes the taking, for budgets of which only some outcomes count. */
  giveBack: () => Promise<void>;
}

export interface BudgetsOptions {
  limiter: RateLimiter;
  clock: Clock;
  counters: Counters;
  /** In units; the others are as the table says. */
  sizes?: BudgetSizes;
}

export function createBudgets({ limiter, clock, counters, sizes = {} }: BudgetsOptions): Budgets {
  const budgetOf = (name: BudgetName): Budget => BUDGETS[name];
  const shownSize = (name: BudgetName) => sizes[name] ?? BUDGETS[name].size;
  const size = (name: BudgetName) => shownSize(name) * (budgetOf(name).times ?? 1);
  const limitOf = (name: SpentBudget) => ({ name, points: size(name), seconds: BUDGETS[name].seconds });

  const takeFromShare = createShares({ limiter, clock });
  const here = placesHere();

  function refusal(name: BudgetName, freeAtMs?: number): AppError {
    counters.add('budget_refused_total', { budget: name });
    const { unit, scope, instead } = budgetOf(name);
    const nowMs = clock.now();
    const when = freeAtMs === undefined ? undefined : `try again in ${seconds(freeAtMs - nowMs)}`;
    const what = [when, instead].filter((word) => word !== undefined).join(', or ');
    const message = `at most ${shownSize(name)} ${unit}${WHOSE[scope]}: ${what}`;
    return overBudget({ name, size: shownSize(name), unit }, { nowMs, freeAtMs }, message);
  }

  return {
    size,
    sizes: () => (Object.keys(BUDGETS) as BudgetName[]).map((name) => [name, shownSize(name)]),
    refusal,
    async take(name, key, amount = 1) {
      const limit = limitOf(name);
      const verdict = await limiter.take(limit, key, amount);
      if (!verdict.allowed) throw refusal(name, clock.now() + verdict.resetMs);
      const giveBack = () => limiter.giveBack(limit, key, amount);
      return { left: verdict.remaining, resetSeconds: verdict.resetSeconds, giveBack };
    },
    async draw(name, key, amount = 1) {
      const verdict = await takeFromShare(limitOf(name), key, amount);
      if (!verdict.allowed) throw refusal(name, clock.now() + verdict.resetMs);
      return { left: verdict.remaining, resetSeconds: verdict.resetSeconds };
    },
    async hold(name, key) {
      const { isOfProcess = false } = budgetOf(name);
      const place = isOfProcess ? here(`${name}:${key}`, size(name)) : await limiter.place(name, key, size(name));
      if (place === undefined) throw refusal(name);
      return place;
    },
    async check(name, key) {
      const verdict = await limiter.look(limitOf(name), key);
      if (!verdict.allowed) throw refusal(name, clock.now() + verdict.resetMs);
    },
    async trust(key) {
      await limiter.take(TRUSTED, key);
    },
    isTrusted: async (key) => (await limiter.look(TRUSTED, key)).remaining < TRUSTED.points,
    checkRows(name, count) {
      if (count >= size(name)) throw refusal(name);
    },
  };
}

/** Who is in it has taken a point. */
const TRUSTED = { name: 'trusted', points: Number.MAX_SAFE_INTEGER, seconds: 30 * 86_400 };

const WHOSE: Record<Budget['scope'], string> = {
  organization: ' for each organization',
  address: ' for each address',
  person: ' for each caller',
  process: '',
  domain: '',
};

function seconds(ms: number): string {
  const whole = Math.max(1, Math.ceil(ms / 1000));
  return `${whole} second${whole === 1 ? '' : 's'}`;
}
