import { refusalOf } from '../../../platform/problem.ts';
import type { Problem } from '../../../platform/errors.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { assertUpdatable } from '../../../tasks/update-media-buy/apply.ts';
import { noPackage } from '../../../tasks/update-media-buy/budgets.ts';
import type { AdcpUpdateMediaBuyRequest } from './schema.ts';

/**
 * What a change hangs on, before what it says is judged: that the media buy is not over, that it has not changed since, and that it has the
 * packages that are named. A cancellation is of the whole, whatever packages stand beside it.
 * @param revision the one that the caller has seen, where that counts.
 * @throws {AppError} in this order: `INVALID_STATE` or `NOT_CANCELLABLE`, `CONFLICT`, `PACKAGE_NOT_FOUND` with all that there are not.
 */
export function assertChangeable(
  buy: MediaBuy,
  { canceled, packages = [] }: Pick<AdcpUpdateMediaBuyRequest, 'canceled' | 'packages'>,
  revision: number | null | undefined,
): void {
  const isEnd = canceled === true;
  const updates = isEnd ? { status: 'canceled' as const } : {};
  assertUpdatable(buy, { ...(typeof revision === 'number' && { revision }), updates });
  if (isEnd) return;
  const known = new Set(buy.packages.map(({ package_id }) => package_id));
  const unknown = packages.flatMap(({ package_id }, i): Problem[] => {
    const path = ['packages', i, 'package_id'];
    return known.has(package_id) ? [] : [{ code: 'PACKAGE_NOT_FOUND', path, message: noPackage(buy, package_id) }];
  });
  if (unknown.length > 0) throw refusalOf(unknown);
}
