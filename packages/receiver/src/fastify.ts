/** For Fastify 4 and 5: the package export `media-buy-receiver/fastify`. */
import type { ServerResponse } from 'node:http';
import { serve } from './node/serve.ts';
import type { NodeRequest } from './node/serve.ts';
import type { Receiver } from './receiver-options.ts';

/** What is used of a Fastify instance, so that its types need not be installed. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    parse: (request: unknown, payload: unknown, done: (error: null, body?: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: { raw: NodeRequest }, reply: FastifyReplyLike) => Promise<void>): unknown;
}

export interface FastifyReplyLike {
  raw: ServerResponse;
  hijack(): unknown;
}

/**
 * A plugin for `app.register(toFastify(receiver, { path }))`. In its own scope, and there alone, it leaves bodies as
 * they come.
 */
export function toFastify(
  receiver: Receiver,
  { path = '/webhooks' }: { path?: string } = {},
): (app: FastifyLike) => Promise<void> {
  return (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _payload, done) => {
      done(null);
    });
    app.post(path, async ({ raw }, reply) => {
      reply.hijack();
      await serve(receiver, raw, reply.raw);
    });
    return Promise.resolve();
  };
}
