import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Waits while the client has not taken what was written; gives one up that takes nothing for too long. With it a slow
 * reader costs one buffer, however much its task has to tell. `gone` ends the wait, too: an answer that stands behind another one on its
 * connection does not hear that this has closed.
 */
export function readiness(response: Writable, stallMs = STALL_MS, gone?: AbortSignal): () => Promise<void> {
  return async () => {
    if (!response.writableNeedDrain || response.destroyed || gone?.aborted === true) return;
    const waiting = new AbortController();
    const end = () => {
      waiting.abort();
    };
    const timer = setTimeout(() => {
      response.destroy();
      end();
    }, stallMs);
    gone?.addEventListener('abort', end);
    try {
      const { signal } = waiting;
      await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).catch(
        () => undefined,
      );
    } finally {
      clearTimeout(timer);
      gone?.removeEventListener('abort', end);
      end();
    }
  };
}

/** How long a client that takes nothing may hold a stream open, in milliseconds. */
const STALL_MS = 60_000;
