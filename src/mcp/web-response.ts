import type { ServerResponse } from 'node:http';
import { withTexts } from '../platform/json-text.ts';
import { readiness } from '../platform/readiness.ts';

/** What this server says itself of every answer. */
const NOT_OURS = new Set(['connection', 'cache-control', 'content-length']);

/**
 * Sends what the SDK answers, with each `context` in it as it was written (rule W19): the SDK writes a stream an event at a time,
 * and anything else in one piece. Ends when the client goes.
 */
export async function sendWebResponse(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  const isStream = answer.headers.get('content-type') === 'text/event-stream';
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !NOT_OURS.has(name)));
  if (!isStream) {
    const text = withTexts(await answer.text());
    response.writeHead(answer.status, { ...headers, 'Content-Length': Buffer.byteLength(text) }).end(text);
    return;
  }
  response.writeHead(answer.status, headers);
  response.flushHeaders();
  const decoder = new TextDecoder();
  const ready = readiness(response);
  for await (const event of answer.body ?? []) {
    if (response.closed) break;
    response.write(withTexts(decoder.decode(event as Uint8Array)));
    await ready();
  }
  response.end();
}
