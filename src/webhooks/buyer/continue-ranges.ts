import type { Budgets } from '../../platform/budget/budgets.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { RANGE_LEASE_MS, rangeWork } from '../delivery/resend-ranges.ts';
import type { RangeWork } from '../delivery/resend-ranges.ts';
import type { BuyerRange, BuyerRangeDependencies } from './resend-range.ts';

/** What is done with the ranges of buyers: each goes as far as its organization's budget of sending again has room. */
export function buyerRanges(deps: BuyerRangeDependencies & { budgets: Pick<Budgets, 'take'> }): RangeWork<BuyerRange> {
  const { ranges, budgets } = deps;
  return rangeWork(deps, {
    ranges,
    due: (nowMs) => ({ due_at: { gt: '', lte: toTimestamp(nowMs) } }),
    isOver: ({ due_at }) => due_at === null,
    marks: {
      held: (nowMs) => ({ due_at: toTimestamp(nowMs + RANGE_LEASE_MS) }),
      left: (untilMs) => ({ due_at: toTimestamp(untilMs) }),
      over: { due_at: null },
    },
    filterOf: ({ organization_id, filter }) => ({ organization_id, ...filter }),
    page: 1,
    room: ({ organization_id }) => waitFor(budgets, organization_id),
  });
}

/** Takes one of the budget; of one that is used up, how long it lasts until there is room, in milliseconds. */
async function waitFor(budgets: Pick<Budgets, 'take'>, organization_id: OrganizationId): Promise<number> {
  try {
    await budgets.take('resend_webhook', organization_id);
    return 0;
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return (error.details.retry_after ?? 1) * 1000;
    throw error;
  }
}
