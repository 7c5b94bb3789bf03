import { z } from 'zod';
import { hasOpen } from '../../sales/ad-order/open.ts';
import { settled } from '../../sales/ad-order/settled.ts';
import { MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { awaitsApproval } from '../../sales/media-buy/readiness.ts';
import { recheckMediaBuy } from '../../sales/media-buy/recheck.ts';
import { transitionBuy, transitionRefusal } from '../../sales/media-buy/transitions.ts';
import { flightOf, moveFlightTo } from './move-ahead.ts';
import { asTransitionRefusal, ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxBuy } from './scene.ts';
import type { Scene } from './scene.ts';

/** What the public protocol calls a buy that waits; into these none is forced. */
const WAITS = ['pending_creatives', 'pending_start'] as const;

/** The states that a test may ask for, in the public protocol's words. */
export const ForcedBuyStatus = z.enum([...MediaBuyStatus.exclude(['pending']).options, ...WAITS]);
export type ForcedBuyStatus = z.infer<typeof ForcedBuyStatus>;

/**
 * Moves a media buy by the table of its states. One that is to be active is moved on to its start, and what is lacking then, such as
 * creatives, is passed over. The ad server is told.
 */
export const forceMediaBuyStatus = scenario({
  name: 'force_media_buy_status',
  params: z.looseObject({
    media_buy_id: z.string().max(128),
    status: ForcedBuyStatus,
    rejection_reason: z.string().max(1000).optional(),
  }),
  async play({ media_buy_id, status, rejection_reason }, scene) {
    const buy = await sandboxBuy(scene, media_buy_id);
    const previous_state = stateOf(buy);
    if (previous_state === status) return { previous_state, current_state: status };
    if (status === 'pending_creatives' || status === 'pending_start') {
      const why = `media buy ${media_buy_id} is ${previous_state} and cannot become ${status}`;
      throw new ControllerRefusal('INVALID_TRANSITION', why, previous_state);
    }
    assertLegal(buy, status);
    if (awaitsApproval(buy) || buy.is_uncommitted === true) {
      throw new ControllerRefusal('INVALID_STATE', 'the task that books it is not over yet', previous_state);
    }
    const now = status === 'active' ? await moveFlightTo(scene, buy, flightOf(buy).startMs) : buy;
    const moved = await forced(scene, now, { status, note: rejection_reason ?? 'forced by a test' });
    await recheckMediaBuy(scene, moved.media_buy_id);
    await scene.flights.process(moved.media_buy_id);
    return { previous_state, current_state: stateOf(moved) };
  },
});

/** Writes the transition with what the ad server is to hear of it, and tells that. */
async function forced(
  { mediaBuys, courier }: Scene,
  seen: MediaBuy,
  { status, note }: { status: MediaBuyStatus; note: string },
): Promise<MediaBuy> {
  for (let buy = seen; ;) {
    if (buy.status === status) return buy;
    assertLegal(buy, status);
    const look = await courier.look(buy);
    const moved = transitionBuy(buy, status, { at: look.at, action: 'forced', actor: 'seller', note });
    const written = await mediaBuys.replace(settled(moved, look) ?? moved);
    if (written !== undefined) {
      if (hasOpen(written)) await courier.tell(written.media_buy_id, { inHand: true });
      return written;
    }
    const now = await mediaBuys.get(buy.media_buy_id);
    if (now === undefined) throw new ControllerRefusal('NOT_FOUND', `media buy ${buy.media_buy_id} is gone`);
    buy = now;
  }
}

/** @throws {ControllerRefusal} `INVALID_TRANSITION`. */
function assertLegal(buy: MediaBuy, status: MediaBuyStatus): void {
  const refusal = transitionRefusal(buy, status);
  if (refusal !== undefined) asTransitionRefusal(refusal);
}

/** One that waits, by what it waits for. */
function stateOf({ status, pending_reason }: MediaBuy): string {
  if (status !== 'pending') return status;
  return pending_reason === 'creatives' ? 'pending_creatives' : 'pending_start';
}
