/** For Express 4 and 5: the package export `media-buy-receiver/express`. */
import type { ServerResponse } from 'node:http';
import { serve } from './node/serve.ts';
import type { NodeRequest } from './node/serve.ts';
import type { Receiver } from './receiver-options.ts';

/** A handler for `app.post(path, toExpress(receiver))`, mounted before any body parser. */
export function toExpress(
  receiver: Receiver,
): (request: NodeRequest, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    serve(receiver, request, response).catch(next);
  };
}
