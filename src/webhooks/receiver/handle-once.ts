import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InboxClaim, Inbox, InboxEvent } from './inbox.ts';

export interface HandleOnce {
  inbox: Inbox;
  event: InboxEvent;
  /** How long to wait for another copy, or another event of the same subject, to be handled; milliseconds. */
  waitMs: number;
  now: () => number;
  handle: () => Promise<void> | void;
}

/** `failed`: the handler threw, and the claim has been given up. */
export type Handled = { outcome: 'handled' | Exclude<InboxClaim, 'claimed'> } | { outcome: 'failed'; error: unknown };

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;

/**
 * Handles an event unless it was handled before (rule W15). A copy that comes while the first is being handled waits
 * and learns its fate: answering 2xx at once would lose the event if the first then failed.
 */
export async function handleOnce({ inbox, event, waitMs, now, handle }: HandleOnce): Promise<Handled> {
  const owner = randomUUID();
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
      await sleep(pauseMs);
      waitedMs += pauseMs;
    }
  }
}
