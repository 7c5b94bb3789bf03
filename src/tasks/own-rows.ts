import type { Collection } from '../platform/store/collection.ts';
import { AppError } from '../platform/errors.ts';
import type { OrganizationId } from '../platform/organization-id.ts';
import { isSeenUnder } from '../sales/account/account.ts';
import type { LibraryOwner } from '../sales/creative/creative-library.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { mediaBuyIdOfPackage } from '../sales/media-buy/package-id.ts';
import type { Problem } from '../platform/errors.ts';

/** Something a request names, and where. */
export interface Named {
  id: string;
  path: readonly PropertyKey[];
}

/** The caller's buys among these ids, by id (rule T5); under an account, those that are seen there. */
export async function ownMediaBuys(
  mediaBuys: Collection<MediaBuy>,
  { organization_id, account_id }: LibraryOwner,
  media_buy_ids: readonly MediaBuyId[],
): Promise<ReadonlyMap<string, MediaBuy>> {
  const ids = [...new Set(media_buy_ids)];
  const rows = ids.length === 0 ? [] : await mediaBuys.getMany(ids);
  const own = rows.filter((row) => row.organization_id === organization_id && isSeenUnder(account_id, row));
  return new Map(own.map((row) => [row.media_buy_id, row]));
}

/** The caller's buys that hold these packages, by package id (rule T5); under an account, those that are seen there. */
export async function buysOfPackages(
  mediaBuys: Collection<MediaBuy>,
  owner: LibraryOwner,
  package_ids: readonly string[],
): Promise<ReadonlyMap<string, MediaBuy>> {
  const buys = await ownMediaBuys(mediaBuys, owner, package_ids.map(mediaBuyIdOfPackage));
  return new Map(
    package_ids.flatMap((package_id) => {
      const buy = buys.get(mediaBuyIdOfPackage(package_id));
      return buy?.packages.some((line) => line.package_id === package_id) === true ? [[package_id, buy] as const] : [];
    }),
  );
}

const UNKNOWN = {
  CREATIVE_NOT_FOUND: ['creative', 'list_creatives'],
  PACKAGE_NOT_FOUND: ['package', 'get_media_buys'],
  MEDIA_BUY_NOT_FOUND: ['media buy', 'get_media_buys'],
} as const;

/** A problem for each name that nothing of the caller's has (rule B13). */
export function unknownNames(code: keyof typeof UNKNOWN, named: readonly Named[], known: { has(id: string): boolean }) {
  const [what, list] = UNKNOWN[code];
  return named
    .filter(({ id }) => !known.has(id))
    .map(({ id, path }): Problem => {
      return {
        code,
        path,
        message: `no ${what} of yours has the id ${JSON.stringify(id)}; ${list} shows those there are`,
      };
    });
}

/**
 * The caller's own media buy.
 * @throws {AppError} `MEDIA_BUY_NOT_FOUND`, the same for an id that never was and for another organization's (rules T5,
 * B13).
 */
export async function ownMediaBuy(
  mediaBuys: Collection<MediaBuy>,
  organization_id: OrganizationId,
  media_buy_id: MediaBuyId,
  field = 'media_buy_id',
): Promise<MediaBuy> {
  const buy = await mediaBuys.get(media_buy_id);
  if (buy?.organization_id === organization_id) return buy;
  throw new AppError('MEDIA_BUY_NOT_FOUND', `${field}: you have no media buy with this id`, { field });
}
