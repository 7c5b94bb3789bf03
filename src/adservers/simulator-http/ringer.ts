import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/log.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { RING_PATH } from '../http/ring-event.ts';
import type { RingEvent } from '../http/ring-event.ts';

/** How long before each try again, in milliseconds; after the last the ring is lost, and the agent looks by itself. */
const RETRY_AFTER_MS = [1_000, 4_000, 16_000];

export interface RingerOptions {
  /** Where the agent is; what stands before `/ad-server/events`. */
  url: string;
  token: string;
  /** A client that `trustsUrls`; it stays open. */
  outbound: Pick<Outbound, 'send'>;
  log: Logger;
  /** Default 1, 4 and 16 s. */
  retryAfterMs?: readonly number[];
}

/** Tells the agent that something has happened to an order. */
export interface Ringer {
  /** Resolves once it is heard, or given up; never rejects. */
  ring(media_buy_id: string): Promise<void>;
  /** Gives up what is under way. */
  close(): void;
}

export function createRinger({ url, token, outbound, log, retryAfterMs = RETRY_AFTER_MS }: RingerOptions): Ringer {
  const stopping = new AbortController();
  const { signal } = stopping;

  /** What went wrong, and whether another try may help; nothing when it was heard. */
  async function tryOnce(event: RingEvent): Promise<{ reason: string; isFinal: boolean } | undefined> {
    const result = await outbound.send({
      url: url.replace(/\/+$/, '') + RING_PATH,
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(event),
      signal,
    });
    if (result.kind !== 'response') return { reason: result.kind, isFinal: result.kind === 'refused' };
    const { status } = result;
    if (status >= 200 && status < 300) return undefined;
    return { reason: `status ${status}`, isFinal: status < 500 && status !== 429 };
  }

  return {
    async ring(media_buy_id) {
      try {
        for (let tries = 0; ; tries += 1) {
          const trouble = await tryOnce({ media_buy_id });
          if (trouble === undefined) return;
          const waitMs = retryAfterMs[tries];
          if (trouble.isFinal || waitMs === undefined) {
            log.warn({ media_buy_id, reason: trouble.reason }, 'the agent did not hear a ring');
            return;
          }
          await delay(waitMs, undefined, { signal, ref: false });
        }
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, media_buy_id }, 'a ring failed');
      }
    },
    close() {
      stopping.abort();
    },
  };
}
