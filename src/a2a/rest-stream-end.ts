import type { Response } from 'express';
import { eventText } from './event-stream.ts';

/**
 * A stream that has failed ends with that as its last event, in our words: the SDK has words of its own for what was thrown, and none
 * for what ended.
 * @param failure its body; undefined where nothing has failed.
 */
export function tellEnd(response: Response, failure: () => unknown): void {
  const write = response.write.bind(response) as (chunk: unknown, ...rest: unknown[]) => boolean;
  const end = response.end.bind(response) as (...rest: unknown[]) => Response;
  const isStream = () => String(response.getHeader('Content-Type')).startsWith('text/event-stream');
  response.write = (chunk: unknown, ...rest: unknown[]) =>
    typeof chunk === 'string' && chunk.startsWith('event: error') && failure() !== undefined
      ? true
      : write(chunk, ...rest);
  response.end = (...rest: unknown[]) => {
    const body = isStream() && !response.writableEnded ? failure() : undefined;
    if (body !== undefined) write(eventText(body, 'error'));
    return end(...rest);
  };
}
