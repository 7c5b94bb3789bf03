import type { MediaBuy } from './media-buy.ts';

/**
 * What is stored for a buy that was `before` and is changed to `after`, by whoever changes it: its flight is looked at in a moment
 * where that may come out otherwise now, by when it ends and what it may spend. Pure.
 * @param now The wall clock's time.
 */
export function lookedAtSoon(before: MediaBuy, after: MediaBuy, now: string): MediaBuy {
  const isOver = before.open && !after.open;
  const hasMoved = before.start_time !== after.start_time || before.end_time !== after.end_time;
  const isPricedOtherwise = after.packages.some(({ budget_minor, bid_price_minor }, i) => {
    const line = before.packages[i];
    return budget_minor !== line?.budget_minor || bid_price_minor !== line.bid_price_minor;
  });
  return isOver || hasMoved || isPricedOtherwise ? withFlightTouched(after, now) : after;
}

/** The buy whose flight is looked at in a moment; the very same where it is due already, or nobody looks after it. Pure. */
export function withFlightTouched(buy: MediaBuy, now: string): MediaBuy {
  const { flight, flight_due_at = null } = buy;
  if (!flight || (flight_due_at !== null && flight_due_at <= now)) return buy;
  return { ...buy, flight_due_at: now, flight: { ...flight, revision: flight.revision + 1 } };
}
