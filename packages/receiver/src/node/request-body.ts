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
 * the rest run dry. It touches the request only once it is read: Node itself drops what nobody has begun to read.
 */
function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  let isReading = false;
  return new ReadableStream(
    {
      pull(controller) {
        if (!isReading) forward(request, controller);
        isReading = true;
        request.resume();
      },
      cancel() {
        request.removeAllListeners('data').removeAllListeners('end').resume();
      },
    },
    { highWaterMark: 0 },
  );
}

function forward(request: IncomingMessage, controller: ReadableStreamDefaultController<Uint8Array>): void {
  const fail = (error?: Error): void => {
    if (!request.readableEnded) controller.error(error ?? new Error('the sender went away before the end of the body'));
  };
  request.on('data', (chunk: Buffer) => {
    request.pause();
    controller.enqueue(chunk);
  });
  request.on('end', () => {
    controller.close();
  });
  request.on('error', fail);
  request.on('close', fail);
}

function eaten(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.error(new BodyAlreadyParsed());
    },
  });
}
