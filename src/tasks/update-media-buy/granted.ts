import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { sumMinor } from '../../platform/money.ts';
import type { Approval } from '../../sales/approval/approval.ts';
import { grantOf, grantOfNewBuy } from '../../sales/approval/grant.ts';
import type { ApprovalGrant } from '../../sales/approval/grant.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import { startInstant } from '../create-media-buy/start-time.ts';
import type { Problem } from '../../platform/errors.ts';
import { changeBudgets } from './budgets.ts';
import { overlayFor } from './retarget.ts';
import { PackageUpdate, Updates } from './schema.ts';

/**
 * What a person must grant for an update of a buy as it stands that leaves it with these packages (rule B15). Pure.
 * @throws {RangeError} when the budgets add up to more than can be held.
 */
export function termsOfUpdate(
  buy: MediaBuy,
  { start_time, end_time }: Pick<Updates, 'start_time' | 'end_time'>,
  packages: MediaBuyPackage[],
): ApprovalGrant {
  const startMs = start_time === undefined ? Date.parse(buy.start_time) : startInstant(start_time, ASAP);
  const terms = {
    packages,
    total_budget_minor: sumMinor(packages.map(({ budget_minor }) => budget_minor)),
    start_time: startMs === ASAP ? 'asap' : toTimestamp(startMs),
    end_time: toTimestamp(Date.parse(end_time ?? buy.end_time)),
  };
  return grantOf(terms, { revision: buy.revision, total_minor: buy.total_budget_minor });
}

/** Earlier than every instant that can be asked for. */
const ASAP = -Infinity;

/** What a person grants of a stored request. Its targeting is any object, as 0.1.0 took it. */
const Overlay = z.record(z.string(), z.unknown()).optional();
const GrantedUpdates = z.object({
  ...Updates.pick({ budget_change: true, start_time: true, end_time: true }).shape,
  targeting: Overlay,
  packages: z
    .array(
      z.object({
        ...PackageUpdate.pick({ package_id: true, budget: true, bid_price: true }).shape,
        targeting_overlay: Overlay,
      }),
    )
    .optional(),
});

/**
 * What would have to be granted if what waits for approval took hold of the buy as it stands; undefined when it no longer
 * waits or could not. What the buy has spent, the calendar and what products offer are not looked at. Pure.
 */
export function termsNow(
  buy: MediaBuy,
  { operation, request, new_packages = [] }: Pick<Approval, 'operation' | 'request' | 'new_packages'>,
): ApprovalGrant | undefined {
  if (isTerminalBuy(buy.status)) return undefined;
  if (operation === 'create_media_buy') return grantOfNewBuy(buy);
  const { success, data: updates } = GrantedUpdates.safeParse(request['updates']);
  if (!success) return undefined;
  const { budget_change, packages: named } = updates;
  const money = { budget_change, packages: named?.map(({ targeting_overlay: _overlay, ...line }) => line) };
  const problems: Problem[] = [];
  const packages = changeBudgets(buy, money, { spentMinor: () => 0 }, problems);
  if (problems.length > 0) return undefined;
  const aimed = packages.map((line) => {
    const targeting_overlay = overlayFor(line, updates);
    return targeting_overlay === undefined ? line : { ...line, targeting_overlay };
  });
  try {
    return termsOfUpdate(buy, updates, [...aimed, ...new_packages]);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
