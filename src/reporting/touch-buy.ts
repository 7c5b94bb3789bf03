import { toTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { MediaBuyId } from '../sales/media-buy/media-buy-id.ts';
import type { BuySchedule } from './schedule.ts';

export interface ScheduleDependencies {
  schedules: Collection<BuySchedule>;
  clock: Clock;
}

/** Something about the buy has changed that may have to be told: it is looked at in a moment. */
export async function touchBuy({ schedules, clock }: ScheduleDependencies, media_buy_id: MediaBuyId): Promise<void> {
  const due_at = toTimestamp(clock.now());
  await schedules.update(media_buy_id, (row) => (row.due_at === null ? undefined : { ...row, due_at }));
}
