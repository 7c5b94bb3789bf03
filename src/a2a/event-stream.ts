import type { ServerResponse } from 'node:http';
import { writeJson } from '../platform/json-text.ts';

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
