import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readReceived } from './received.ts';
import type { Received } from './received.ts';

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
    void readReceived(request).then((got) => {
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
