import { z } from 'zod';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';

/** How far the feed has been forgotten. There is one row. */
const FeedMark = z.object({
  mark_id: z.string(),
  /** Of events up to this number some may be gone: who follows the feed is past it. Raised before the first of them goes. */
  kept_after: z.number().int(),
  /** Up to here all that is to be forgotten is gone. */
  swept_to: z.number().int(),
  revision: z.number().int(),
});
type FeedMark = z.infer<typeof FeedMark>;

export const feedMarks: CollectionSpec<FeedMark> = {
  name: 'feed_marks',
  key: 'mark_id',
  schema: FeedMark,
  indexes: [],
};

const ID = 'feed';
const NOTHING_FORGOTTEN = { kept_after: 0, swept_to: 0 };

/** As it is now. To see whether events that were read are whole, read it after them. */
export async function feedMark(store: Store): Promise<Pick<FeedMark, 'kept_after' | 'swept_to'>> {
  return (await store.collection(feedMarks).get(ID)) ?? NOTHING_FORGOTTEN;
}

/** Neither number ever falls, whoever sweeps beside. */
export async function raiseFeedMark(
  store: Store,
  { kept_after = 0, swept_to = 0 }: Partial<Pick<FeedMark, 'kept_after' | 'swept_to'>>,
): Promise<void> {
  const marks = store.collection(feedMarks);
  await marks.insert({ mark_id: ID, ...NOTHING_FORGOTTEN, revision: 1 });
  await marks.update(ID, (mark) => ({
    ...mark,
    kept_after: Math.max(mark.kept_after, kept_after),
    swept_to: Math.max(mark.swept_to, swept_to),
  }));
}
