import type { ServerResponse } from 'node:http';
import type { Receiver } from '../receiver-options.ts';
import { serve } from './serve.ts';
import type { NodeRequest } from './serve.ts';

/** A listener for `node:http`, `node:https` and `node:http2`; it answers every request it is given. */
export function toNode(receiver: Receiver): (request: NodeRequest, response: ServerResponse) => void {
  return (request, response) => {
    serve(receiver, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  };
}
