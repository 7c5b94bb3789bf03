import type { IncomingMessage } from 'node:http';
import { BodyAlreadyParsed } from '../read-body.ts';

/**
 * The body of a request of node:http, as `Request` takes one: what `express.raw()` has read, if it ran before; else the
 * bytes as they come. Reading a body that a parser has eaten throws {@link BodyAlreadyParsed}.
 */
export function bodyOf(request: IncomingMessage & { body?: unknown }): Uint8Array | ReadableStream<Uint8Array> {
  const { body } = request;
  if (body instanceof Uint8Array) return body;
  return body === undefined && !request.readableEnded ? streamOf(request) : eaten();
}

/**
 * The platform's own conversion destroys the connection when reading stops, before an answer can be given; this one lets
 * the rest run dry.
 */
function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      request.on('data', (chunk: Buffer) => {
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) request.pause();
      });
      request.on('end', () => {
        controller.close();
      });
      const fail = (error?: Error): void => {
        if (request.readableEnded) return;
        controller.error(error ?? new Error('the sender went away before the end of the body'));
      };
      request.on('error', fail);
      request.on('close', fail);
      request.pause();
    },
    pull() {
      request.resume();
    },
    cancel() {
      request.removeAllListeners('data').removeAllListeners('end').resume();
    },
  });
}

function eaten(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.error(new BodyAlreadyParsed());
    },
  });
}
