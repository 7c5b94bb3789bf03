import type { MediaBuy } from './media-buy.ts';

/** Whether a buy is canceled once the stop that is on its way holds. Pure. */
export function isBeingCanceled({ stop }: Pick<MediaBuy, 'stop'>): boolean {
  return stop?.causes.some(({ to_status }) => to_status === 'canceled') === true;
}
