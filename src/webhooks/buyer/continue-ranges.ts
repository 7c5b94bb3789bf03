import type { Budgets } from '../../platform/budget/budgets.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { resend } from '../delivery/resend.ts';
import type { ResendDependencies } from '../delivery/resend.ts';
import { whereOf } from './resend-range.ts';
import type { BuyerRangeDependencies } from './resend-range.ts';

/** Whoever works on a range for so long without a sign has died. */
const LEASE_MS = 30_000;
/** How long one process works on a range before it looks at anything else. */
const STINT_MS = 5_000;

export interface ContinueDependencies extends BuyerRangeDependencies {
  budgets: Pick<Budgets, 'take'>;
}

/**
 * Goes on with the ranges that are due, each as far as its organization's budget has room. Safe in several processes at once, and killed
 * anywhere: a range sends no event twice. Answers how many there were.
 */
export async function continueBuyerRanges(deps: ContinueDependencies): Promise<number> {
  const { ranges, clock } = deps;
  const { rows } = await ranges.find({ where: { due_at: { gt: '', lte: toTimestamp(clock.now()) } }, limit: 10 });
  for (const { range_id, due_at } of rows) {
    const held = toTimestamp(clock.now() + LEASE_MS);
    const claim = await ranges.update(range_id, (row) =>
      row.due_at === due_at ? { ...row, due_at: held } : undefined,
    );
    if (claim?.changed === true) await workOn(deps, range_id);
  }
  return rows.length;
}

async function workOn(deps: ContinueDependencies, range_id: string): Promise<void> {
  const { ranges, deliveries, clock, budgets } = deps;
  const untilMs = clock.now() + STINT_MS;
  for (;;) {
    const range = await ranges.get(range_id);
    if (range === undefined || range.due_at === null) return;
    const { organization_id, after } = range;
    const page = await deliveries.find({
      where: whereOf(organization_id, range.filter),
      sort: { field: 'created_at', direction: 'asc' },
      limit: 1,
      ...(after !== null && { after }),
    });
    const [next] = page.rows;
    const isToSend = next !== undefined && next.resent_in !== range_id;
    const waitMs = isToSend ? await waitFor(budgets, organization_id) : 0;
    if (waitMs > 0) {
      const due_at = toTimestamp(clock.now() + waitMs);
      await ranges.update(range_id, (row) => (row.due_at === null ? undefined : { ...row, due_at }));
      return;
    }
    const isSent = isToSend && (await sent(deps, next, range_id));
    const isStintOver = clock.now() >= untilMs;
    const due_at = page.cursor === undefined ? null : toTimestamp(clock.now() + (isStintOver ? 0 : LEASE_MS));
    await ranges.update(range_id, (row) =>
      row.after === after && row.due_at !== null
        ? { ...row, resent: row.resent + (isSent ? 1 : 0), after: page.cursor ?? after, due_at }
        : undefined,
    );
    if (page.cursor === undefined || isStintOver) return;
  }
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

/** Whether it was sent: its registration may have ended meanwhile. */
async function sent(deps: ResendDependencies, { delivery_id }: Delivery, range_id: string): Promise<boolean> {
  try {
    await resend(deps, delivery_id, range_id);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_STATE') return false;
    throw error;
  }
}
