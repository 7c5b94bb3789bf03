import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { floorHour, HOUR_MS } from '../../platform/hours.ts';
import type { Logger } from '../../platform/log.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Courier } from '../ad-order/courier.ts';
import { hasOpen } from '../ad-order/open.ts';
import { settled } from '../ad-order/settled.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { isTerminalBuy } from '../media-buy/transitions.ts';
import { dueTransition } from './due-transition.ts';
import type { FlightClock } from './flight-clock.ts';

interface DueDependencies {
  mediaBuys: Collection<MediaBuy>;
  courier: Courier;
  flightClock: FlightClock;
  clock: Clock;
  log: Logger;
}

/** The transition that is due, and the ad server told of it. What was spent counts only for the buy as it was seen. */
export async function makeDueTransition(
  deps: DueDependencies,
  seen: MediaBuy,
  flightMs: number,
  isSpent: boolean,
): Promise<MediaBuy> {
  const { media_buy_id } = seen;
  for (let buy = seen; ;) {
    const look = await deps.courier.look(buy);
    const { creativeStatus } = look.readiness;
    const moved = dueTransition(
      buy,
      { flightMs, isSpent: isSpent && buy.revision === seen.revision, creativeStatus },
      look.at,
    );
    const next = settled(moved ?? buy, look) ?? moved;
    if (next === undefined) return hasOpen(buy) ? ((await deps.courier.tell(media_buy_id)) ?? buy) : buy;
    const written = await deps.mediaBuys.replace(next, buy);
    if (written !== undefined) {
      const { status, pending_reason } = written;
      if (status !== buy.status || pending_reason !== buy.pending_reason) {
        deps.log.info({ media_buy_id, status, pending_reason }, 'media buy moved');
      }
      return hasOpen(written) ? ((await deps.courier.tell(media_buy_id, { inHand: true })) ?? written) : written;
    }
    const now = await deps.mediaBuys.get(media_buy_id);
    if (now === undefined) return buy;
    buy = now;
  }
}

/** The next instant at which something may happen by itself: the start, the end, or the next hour. */
export function nextLook(
  { flightClock, clock }: Pick<DueDependencies, 'flightClock' | 'clock'>,
  buy: MediaBuy,
  flightMs: number,
): string {
  const nextHourMs = floorHour(flightMs) + HOUR_MS;
  const instants = [fromTimestamp(buy.start_time), fromTimestamp(buy.end_time)].filter((ms) => ms > flightMs);
  const wallMs = flightClock.wallAt(buy, Math.min(nextHourMs, ...instants));
  return toTimestamp(Math.max(wallMs, clock.now()));
}

/** When a buy that nobody has looked at yet is looked at: by then as a rule there is something to do, or to record. */
export function firstLook(deps: Pick<DueDependencies, 'flightClock' | 'clock'>, buy: MediaBuy): string {
  const flightMs = deps.flightClock.now(buy);
  const hasRunForAnHour = fromTimestamp(buy.start_time) < floorHour(flightMs);
  const isOverdue = isTerminalBuy(buy.status) || hasRunForAnHour || flightMs >= fromTimestamp(buy.end_time);
  // What 0.1.0 has told the ad server is told it anew.
  return isOverdue || buy.ad_version === undefined ? toTimestamp(deps.clock.now()) : nextLook(deps, buy, flightMs);
}
