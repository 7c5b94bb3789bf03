import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as it arrived, byte for byte. */
export interface Received {
  method: string;
  /** Path and query from the request line. */
  path: string;
  /** What the request line and the Host header say together. */
  url: string;
  headers: Record<string, string>;
  rawBody: Buffer;
  body: Record<string, unknown>;
}

/** How the receiver treats its n-th request, counted from 1. */
export type Answer = (response: ServerResponse, n: number, received: Received) => void;

export interface Receiver {
  url(path?: string): string;
  received: Received[];
  /** The n-th request, counted from 1; the last one when no number is given. */
  request(n?: number): Received;
  answer: Answer;
  /** Resolves when so many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Answers with this status, headers and no body. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(code, headers).end();
  };
}

/** A webhook endpoint over real HTTP on loopback that answers as it is told. */
export async function openReceiver(answer: Answer = status(204)): Promise<Receiver> {
  const received: Received[] = [];
  let heard: () => void = () => undefined;
  const server = createServer((request, response) => {
    void read(request).then((got) => {
      received.push(got);
      receiver.answer(response, received.length, got);
      heard();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: (path = '/hook') => `http://127.0.0.1:${port}${path}`,
    received,
    request(n = received.length) {
      const found = received[n - 1];
      if (found === undefined) throw new Error(`there was no request ${n}`);
      return found;
    },
    answer,
    async arrived(count) {
      while (received.length < count) await new Promise<void>((resolve) => (heard = resolve));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const rawBody = Buffer.concat(chunks);
  const path = request.url ?? '';
  return {
    method: request.method ?? '',
    path,
    url: `http://${request.headers.host ?? ''}${path}`,
    headers: request.headers as Record<string, string>,
    rawBody,
    body: JSON.parse(rawBody.toString('utf8')) as Record<string, unknown>,
  };
}
