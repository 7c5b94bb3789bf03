import { toTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../sales/media-buy/transitions.ts';
import { isLive } from './schedule.ts';
import type { BuySchedule } from './schedule.ts';

export interface ScheduleDependencies {
  schedules: Collection<BuySchedule>;
  clock: Clock;
}

/**
 * A flight has come further, which may have to be told: its buy is looked at in a moment. One that hears no reports hears of
 * nothing but its end.
 */
export async function touchBuy({ schedules, clock }: ScheduleDependencies, buy: MediaBuy): Promise<void> {
  const now = toTimestamp(clock.now());
  await schedules.update(buy.media_buy_id, (row) => {
    if (row.ended_at !== null || (row.due_at !== null && row.due_at <= now)) return undefined;
    return isLive(row.reporting) || isTerminalBuy(buy.status) ? { ...row, due_at: now } : undefined;
  });
}
