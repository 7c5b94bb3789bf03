import { fromTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { ControllerRefusal } from './refusal.ts';
import type { Scene } from './scene.ts';

/** Each hour of a flight that has gone by is counted. */
const FARTHEST_MS = 400 * DAY_MS;

/**
 * Moves the flight of a media buy on to an instant, here and at the simulated ad server, and does what is due by then. Never
 * back; the same again changes nothing. Answers the buy as it then stands.
 * @throws {ControllerRefusal} `INVALID_STATE` for one that the ad server has not heard of yet.
 */
export async function moveFlightTo(scene: Scene, buy: MediaBuy, flightMs: number): Promise<MediaBuy> {
  const { tested, flightClock, flights, mediaBuys } = scene;
  const { media_buy_id } = buy;
  const missingMs = flightMs - flightClock.now(buy);
  const aheadMs = (buy.flight_ahead_ms ?? 0) + Math.max(0, missingMs);
  if (missingMs > FARTHEST_MS) {
    const why = `the flight of ${media_buy_id} would have to be moved by more than ${FARTHEST_MS / DAY_MS} days`;
    throw new ControllerRefusal('INVALID_STATE', why);
  }
  if (aheadMs > 0) {
    if (!(await tested.steered.moveAhead(media_buy_id, aheadMs))) {
      throw new ControllerRefusal('INVALID_STATE', `media buy ${media_buy_id} has not been ordered yet; ask again`);
    }
    await mediaBuys.update(media_buy_id, (row) =>
      (row.flight_ahead_ms ?? 0) >= aheadMs ? undefined : { ...row, flight_ahead_ms: aheadMs },
    );
  }
  return (await flights.process(media_buy_id)) ?? (await mediaBuys.get(media_buy_id)) ?? buy;
}

/** The instants between which a flight can deliver, in milliseconds. */
export function flightOf({ start_time, end_time }: MediaBuy): { startMs: number; endMs: number } {
  return { startMs: fromTimestamp(start_time), endMs: fromTimestamp(end_time) };
}
