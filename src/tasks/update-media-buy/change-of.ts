import type { BuyChange, PackageChange } from '../../sales/media-buy/buy-change.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import { isPausedWhileWaiting } from '../../sales/media-buy/to-run.ts';
import type { UpdatePlan } from './plan.ts';

const CHANGEABLE = [
  'budget_minor',
  'bid_price_minor',
  'targeting_overlay',
  'offered_targeting',
  'creative_ids',
  'paused',
] as const satisfies (keyof MediaBuyPackage & keyof PackageChange)[];

/** What a plan changes of the buy it was made for, and nothing else of it. Pure. */
export function changeOf(buy: MediaBuy, plan: UpdatePlan): BuyChange {
  const { changed, new_packages, status, affected_packages, changes, reason, name } = plan;
  const resumes = status === 'active' && isPausedWhileWaiting(buy);
  const packages = changed.packages.flatMap((line, i) => {
    const before = buy.packages[i];
    const fields = CHANGEABLE.filter((field) => JSON.stringify(line[field]) !== JSON.stringify(before?.[field]));
    if (fields.length === 0) return [];
    const values = Object.fromEntries(fields.map((field) => [field, line[field]]));
    return [{ package_id: line.package_id, ...values }];
  });
  return {
    packages,
    ...(new_packages.length > 0 && { new_packages }),
    affected_packages,
    changes,
    ...(resumes ? { resumes } : status !== undefined && { status }),
    ...(reason !== undefined && { reason }),
    ...(name !== undefined && { name }),
    ...(changed.start_time !== buy.start_time && { start_time: changed.start_time }),
    ...(changed.end_time !== buy.end_time && { end_time: changed.end_time }),
  };
}
