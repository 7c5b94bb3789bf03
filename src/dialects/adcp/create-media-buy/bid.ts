import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { Release } from '../release.ts';
import { refuseUnsupported } from '../unsupported.ts';

/** What a package says of its bid. */
interface BidAsked extends JsonObject {
  bid_price?: number | null | undefined;
}

/**
 * The bid in our own field. Clients send a `bid_price` for whatever they buy, so it is passed over where the price is fixed; `bidding`,
 * which is of 3.2, is not.
 * @param at where the package stands, such as `packages[0].`.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for ways to bid that are not followed here.
 */
export function bidAsked(
  one: BidAsked,
  at: string,
  { release, isFixed }: { release: Release; isFixed: boolean },
): JsonObject {
  const { bid_price } = one;
  const bidding = one['bidding'];
  const isSaid = bidding !== undefined && bidding !== null;
  if (!isSaid || release !== '3.2') {
    refuseUnsupported(one, { bidding: 'bids are sent as bid_price' }, { at });
    return typeof bid_price === 'number' && !isFixed ? { bid_price } : {};
  }
  const { max_bid, ...others } = bidding as JsonObject;
  const field = `${at}bidding`;
  if (typeof max_bid !== 'number' || Object.keys(others).length > 0) {
    throw refused(field, 'a bid is held to as the most that is paid, and in no other way', 'send max_bid alone');
  }
  if (isFixed) throw refused(field, 'the price of this option is fixed', 'leave it out');
  if (typeof bid_price === 'number' && bid_price !== max_bid) {
    throw invalidRequest(`${at}bid_price`, 'is another amount than bidding.max_bid; send bidding alone');
  }
  return { bid_price: max_bid };
}

function refused(field: string, why: string, suggestion: string): AppError {
  return new AppError('UNSUPPORTED_FEATURE', `${field}: ${why}`, { field, suggestion });
}
