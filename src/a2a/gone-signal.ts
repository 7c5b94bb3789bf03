import type { ServerResponse } from 'node:http';

/** Aborts when the client's connection closes before the response has ended. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
