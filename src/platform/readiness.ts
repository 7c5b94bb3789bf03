import { once } from 'node:events';
import type { Writable } from 'node:stream';

/**
 * Waits while the client has not taken what was written; gives one up that takes nothing for too long. With it a slow
 * reader costs one buffer, however much its task has to tell.
 */
export function readiness(response: Writable, stallMs = STALL_MS): () => Promise<void> {
  return async () => {
    if (!response.writableNeedDrain || response.destroyed) return;
    const waiting = new AbortController();
    const timer = setTimeout(() => response.destroy(), stallMs);
    try {
      const { signal } = waiting;
      await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
    } finally {
      clearTimeout(timer);
      waiting.abort();
    }
  };
}

/** How long a client that takes nothing may hold a stream open, in milliseconds. */
const STALL_MS = 60_000;
