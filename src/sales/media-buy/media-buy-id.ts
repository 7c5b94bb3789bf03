import { z } from 'zod';

/**
 * Names one media buy. A brand of the compiler's alone: stored and sent as the text it is, and no other id can stand in
 * its place. Text from outside becomes one by `MediaBuyId.parse`, which refuses no text.
 */
export const MediaBuyId = z.string().brand<'MediaBuyId'>();
export type MediaBuyId = z.infer<typeof MediaBuyId>;

/** Whether an id has the form of those that are made here: no other may be taken for one of them. */
export function isMadeHere(media_buy_id: string): boolean {
  return /^mb_[0-9a-f]{32}$/i.test(media_buy_id);
}
