import { orderOf } from '../events/order-of.ts';
import type { WebhookEvent } from '../events/webhook-event.ts';
import type { InboxClaim, Inbox } from './inbox.ts';

export interface HandleOnce {
  inbox: Inbox;
  /** The authenticated sender identity. */
  sender: string;
  event: WebhookEvent;
  handle: () => Promise<void> | void;
  /**
   * How long to wait for another copy, or another event of the same subject, to be handled; milliseconds. Default
   * 10,000: senders wait 15,000.
   */
  waitMs?: number;
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
}

/** `failed`: the handler threw, and the claim has been given up. */
export type Handled = { outcome: 'handled' | Exclude<InboxClaim, 'claimed'> } | { outcome: 'failed'; error: unknown };

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;

/**
 * Handles an event unless it was handled before, or a newer state of the same subject was (rules C.events.4, W15). A copy
 * that comes while the first is being handled waits and learns its fate: answering 2xx at once would lose the event if the
 * first then failed. Throws where the inbox does.
 */
export async function handleOnce(options: HandleOnce): Promise<Handled> {
  const { inbox, sender, handle, waitMs = 10_000, now = Date.now } = options;
  const event = { sender, idempotencyKey: options.event.idempotency_key, order: orderOf(options.event) };
  const owner = crypto.randomUUID();
  const claim = await claimInTurn();
  if (claim !== 'claimed') return { outcome: claim };
  try {
    await handle();
  } catch (error) {
    // Where even that fails, the lease ends the claim.
    await inbox.release(event, owner).catch(() => undefined);
    return { outcome: 'failed', error };
  }
  await inbox.finish(event, owner, now());
  return { outcome: 'handled' };

  async function claimInTurn(): Promise<InboxClaim> {
    let waitedMs = 0;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      const claim = await inbox.claim(event, owner, now());
      if (claim !== 'busy' || waitedMs >= waitMs) return claim;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      waitedMs += pauseMs;
    }
  }
}
