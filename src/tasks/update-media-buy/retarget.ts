import { isDeepStrictEqual } from 'node:util';
import type { MediaBuyPackage } from '../../sales/media-buy/media-buy-package.ts';
import type { Product } from '../../sales/product/product.ts';
import type { AdServerAbilities } from '../../sales/targeting/ad-server-abilities.ts';
import { offeredTo } from '../../sales/targeting/offered-targeting.ts';
import { askedTargeting } from '../asked-targeting.ts';
import type { Problem } from '../../platform/errors.ts';
import type { Updates } from './schema.ts';

/**
 * A package with the targeting that updates ask for: its own entry's, or else that of all (rules B6, B14). It is checked
 * against what was offered when the package was sold, and what the ad server can do. What is wrong is added to `problems`, once for all packages alike.
 * Pure.
 */
export function retarget(
  line: MediaBuyPackage,
  updates: Updates,
  { products, adServer }: { products: readonly Product[]; adServer?: AdServerAbilities | undefined },
  problems: Problem[],
): MediaBuyPackage {
  const overlay = overlayFor(line, updates);
  if (overlay === undefined) return line;
  const { product_id } = line;
  const i = (updates.packages ?? []).findIndex(({ package_id }) => package_id === line.package_id);
  const isOwn = updates.packages?.[i]?.targeting_overlay !== undefined;
  const at = isOwn ? ['updates', 'packages', i, 'targeting_overlay'] : ['updates', 'targeting'];
  const product = products.find((one) => one.product_id === product_id);
  const offered_targeting = offeredTo(line, product);
  const found =
    offered_targeting === undefined
      ? Object.keys(overlay).map((axis) => notSoldAnyMore(product_id, [...at, axis]))
      : askedTargeting(overlay, { product_id, offered: offered_targeting, adServer }, at);
  problems.push(...found.filter((problem) => !problems.some((known) => isDeepStrictEqual(known, problem))));
  return { ...line, targeting_overlay: overlay, ...(offered_targeting !== undefined && { offered_targeting }) };
}

/** The targeting that updates ask for a package, unchecked: its own entry's, or else that of all. Pure. */
export function overlayFor<Overlay>(
  { package_id }: Pick<MediaBuyPackage, 'package_id'>,
  { targeting, packages = [] }: AskedOverlays<Overlay>,
): Overlay | undefined {
  return packages.find((entry) => entry.package_id === package_id)?.targeting_overlay ?? targeting;
}

interface AskedOverlays<Overlay> {
  targeting?: Overlay | undefined;
  packages?: readonly { package_id: string; targeting_overlay?: Overlay | undefined }[] | undefined;
}

function notSoldAnyMore(product_id: string, path: Problem['path']): Problem {
  const message = `product ${product_id} is sold no more, so its targeting can only be taken off; send an empty object`;
  return { code: 'UNSUPPORTED_FEATURE', path, message };
}
