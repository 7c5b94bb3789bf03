import { randomUUID } from 'node:crypto';
import type { BudgetSizes } from '../../src/platform/budget/budget-table.ts';
import { createBudgets } from '../../src/platform/budget/budgets.ts';
import type { Budgets } from '../../src/platform/budget/budgets.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/log.ts';
import { noCounters } from '../../src/platform/metrics/metrics.ts';
import type { Counters } from '../../src/platform/metrics/metrics.ts';
import { createRateLimiter } from '../../src/platform/redis/rate-limit-redis.ts';
import { slowWindows } from './slow-windows.ts';

interface Setup {
  sizes?: BudgetSizes;
  clock?: Clock;
  counters?: Counters;
  /** Processes of one installation have the same. */
  prefix?: string;
  connection?: string;
}

/** The budgets of one process, in windows that no test outlasts; in the Redis of the tests unless said. */
export function openBudgets(setup: Setup = {}): { budgets: Budgets; close: () => Promise<void> } {
  const { sizes = {}, clock = systemClock, counters = noCounters, prefix = `budgets-${randomUUID()}` } = setup;
  const { connection = process.env['REDIS_TEST_URL'] ?? '' } = setup;
  const limiter = createRateLimiter({ connection, prefix, logger: createLogger('silent') });
  const budgets = createBudgets({ limiter: slowWindows(limiter), clock, counters, sizes });
  return { budgets, close: () => limiter.close() };
}
