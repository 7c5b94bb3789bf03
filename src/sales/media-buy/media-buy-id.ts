import { z } from 'zod';

/**
 * Names one media buy. A brand of the compiler's alone: stored and sent as the text it is, and no other id can stand in
 * its place. Text from outside becomes one by `MediaBuyId.parse`, which refuses no text.
 */
export const MediaBuyId = z.string().brand<'MediaBuyId'>();
export type MediaBuyId = z.infer<typeof MediaBuyId>;
