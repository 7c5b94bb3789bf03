import { toTimestamp } from '../../platform/clock.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { lookedAtSoon } from '../media-buy/looked-at-soon.ts';
import { withoutWaiting } from './given-up.ts';
import { newlyDecided } from './verdict.ts';

/**
 * Ends what waits for an order that was given up, before the ad server has confirmed its end: its buy is canceled, its tasks fail.
 * Repeatable; see `withoutWaiting`.
 */
export async function endWaiting(
  { mediaBuys, clock, wakeTask }: Pick<CourierDependencies, 'mediaBuys' | 'clock' | 'wakeTask'>,
  media_buy_id: MediaBuyId,
  isKnown: boolean,
): Promise<void> {
  let before: Pick<MediaBuy, 'verdicts'> = {};
  const outcome = await mediaBuys.update(media_buy_id, (buy) => {
    before = buy;
    const at = toTimestamp(clock.now());
    const ended = withoutWaiting(buy, isKnown, at);
    return ended && lookedAtSoon(buy, ended, at);
  });
  if (outcome?.changed !== true) return;
  for (const task_id of newlyDecided(before, outcome.row)) await wakeTask(task_id);
}
