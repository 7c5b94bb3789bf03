import { AppError } from '../../platform/errors.ts';
import { isBeingCanceled } from '../media-buy/being-canceled.ts';
import { holdingOf } from '../media-buy/holding.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { isOnHold } from '../media-buy/seller-hold.ts';
import { overRefusal } from '../media-buy/transitions.ts';
import { BY_SYSTEM, withStop } from './open.ts';
import type { Planning } from './open.ts';
import { settled } from './settled.ts';
import { writeBySeller } from './write-by-seller.ts';
import type { SellersDependencies } from './write-by-seller.ts';

/** Who holds a buy back, and why. */
interface Held {
  /** Told to the buyer, in the buy's history and where a resume is refused. */
  reason: string;
  /** For the record. */
  by: string;
}

/**
 * Holds a buy back until it is released: what runs is paused by a stop, what would run does not, and its buyer can resume nothing. An
 * ad server that is away is told once it answers, before all that is no stop. The same by the same person is answered again.
 * @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for one that is over, about to be, or held back already.
 */
export async function holdBySeller(deps: SellersDependencies, media_buy_id: MediaBuyId, held: Held): Promise<MediaBuy> {
  return writeBySeller(deps, media_buy_id, async (buy, lookAt) => {
    if (isOnHold(buy) && buy.on_hold?.reason === held.reason && buy.on_hold.by === held.by) return undefined;
    const refusal = refusalToHold(buy);
    if (refusal !== undefined) throw refusal;
    return withHold(buy, held, await lookAt());
  });
}

/**
 * Lets a buy go on as its buyer last asked: what ran, runs again; what was paused, stays so. Repeatable.
 * @throws {AppError} `NOT_FOUND`; `INVALID_STATE` for one that nobody holds back.
 */
export async function releaseBySeller(deps: SellersDependencies, media_buy_id: MediaBuyId): Promise<MediaBuy> {
  return writeBySeller(deps, media_buy_id, async (buy, lookAt) => {
    if (!buy.on_hold) {
      throw new AppError('INVALID_STATE', `nobody holds ${media_buy_id} back`, { field: 'media_buy_id' });
    }
    if (!isOnHold(buy)) return undefined;
    const look = await lookAt();
    const free = withEvent({ ...buy, on_hold: { ...buy.on_hold, released_at: look.at } }, 'released', null, look.at);
    return settled(free, look) ?? free;
  });
}

function refusalToHold(buy: MediaBuy): AppError | undefined {
  const { media_buy_id, on_hold } = buy;
  const refused = (why: string) =>
    new AppError('INVALID_STATE', `media buy ${media_buy_id} ${why}`, { field: 'media_buy_id' });
  if (isBeingCanceled(buy)) return refused('is about to be canceled');
  if (isOnHold(buy)) return refused(`is held back by ${on_hold?.by ?? 'another'} already: ${on_hold?.reason ?? ''}`);
  return overRefusal(buy);
}

/** What runs, or may have been told to, is stopped; of all others it is noted. Pure. */
function withHold(buy: MediaBuy, { reason, by }: Held, look: Planning): MediaBuy {
  const { status, open_change } = buy;
  // A resume that is on its way is overtaken by the stop.
  const resumes = status === 'active' || open_change?.change?.status === 'active';
  const on_hold = { reason, by, at: look.at, resumes, released_at: null };
  const held: MediaBuy = { ...buy, on_hold };
  if (status === 'active') {
    const cause = { task_id: null, to_status: 'paused', action: 'held', actor: 'seller', note: reason } as const;
    return withStop(held, cause, look);
  }
  const noted = withEvent(held, 'held', reason, look.at);
  const mayRun = holdingOf(buy)?.state === 'running' || open_change?.order?.state === 'running';
  return mayRun ? withStop(noted, BY_SYSTEM, look, 'paused') : noted;
}

function withEvent(buy: MediaBuy, action: string, note: string | null, at: string): MediaBuy {
  const { status, history } = buy;
  const event = { at, action, actor: 'seller', note, task_id: null, from_status: status, to_status: status } as const;
  return { ...buy, updated_at: at, history: [...history, event] };
}
