import { MediaBuyId } from './media-buy-id.ts';

/** The id of a buy's n-th package, counted from 1. */
export function packageId(media_buy_id: MediaBuyId, n: number): string {
  return `${media_buy_id}_p${n}`;
}

/** The buy that a package of this id would belong to; whether there is one, only the store knows. */
export function mediaBuyIdOfPackage(package_id: string): MediaBuyId {
  return MediaBuyId.parse(package_id.replace(/_p\d+$/, ''));
}
