import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { writeJson } from '../platform/json-text.ts';

/** How long a client that takes nothing may hold a stream open, in milliseconds. */
const STALL_MS = 60_000;

/** Begins an event stream (WHATWG HTML, section 9.2) on a response. */
export function beginEventStream(response: ServerResponse, heartbeatMs: number): void {
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache',
    Connection: 'keep-alive',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  keepAlive(response, heartbeatMs);
}

/** Writes a comment now and then, so that proxies and clients know that a quiet stream is alive. */
export function keepAlive(response: ServerResponse, heartbeatMs: number): void {
  const timer = setInterval(() => {
    if (!response.writableEnded && !response.writableNeedDrain) response.write(': ping\n\n');
  }, heartbeatMs);
  response.once('close', () => {
    clearInterval(timer);
  });
}

export function eventText(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${writeJson(data)}\n\n`;
}

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
