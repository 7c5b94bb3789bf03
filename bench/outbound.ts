import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';
import { createConnect } from '../src/platform/outbound/connect.ts';
import { Exchange } from '../src/platform/outbound/exchange.ts';
import { createOutbound } from '../src/platform/outbound/outbound-client.ts';
import type { Send } from '../src/platform/outbound/outbound-request.ts';
import { createResolve } from '../src/platform/outbound/resolve.ts';
import { checkUrl } from '../src/platform/outbound/url-guard.ts';
import type { Target } from '../src/platform/outbound/url-guard.ts';
import { median } from './figures.ts';
import { openReceivers } from './webhooks-setup.ts';

/** Our connection pool against undici's, under the same guards and exchanges (`docs/decisions/0018-ours-beside-a-library.md`). */
export async function benchOutbound(): Promise<void> {
  await sendByPool();
  await expireInQueue();
}

const POSTS = 8_000;
const AT_ONCE = 64;

async function sendByPool(): Promise<void> {
  const receivers = await openReceivers(1);
  const url = `http://127.0.0.1:${receivers.ports[0] ?? 0}/hook`;
  const [ours, peer] = [ownSender(AT_ONCE), poolSender(url, AT_ONCE)];
  const rates: [number, number][] = [];
  for (let round = 0; round < 6; round++) {
    const pair: [number, number] = [await rateOf(ours.send, url), await rateOf(peer.send, url)];
    if (round > 0) rates.push(pair);
  }
  await Promise.all([ours.close(), peer.close()]);
  receivers.close();
  const [rate, peerRate] = [median(rates.map(([own]) => own)), median(rates.map(([, theirs]) => theirs))];
  const ratio = (rate / peerRate).toFixed(2);
  console.log('POSTs to one origin'.padEnd(44), `ours ${rate}/s   undici Pool ${peerRate}/s   ratio ${ratio}`);
}

async function rateOf(send: Send, url: string): Promise<number> {
  const request = {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: 'x'.repeat(900),
  } as const;
  let left = POSTS;
  const started = performance.now();
  const sender = async () => {
    while (left-- > 0) {
      const { kind } = await send(request);
      if (kind !== 'response') throw new Error(`a POST ended as ${kind}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return Math.round((POSTS / (performance.now() - started)) * 1000);
}

/** Twenty requests whose time runs out behind a slow one: how many connections that costs. */
async function expireInQueue(): Promise<void> {
  const opened: number[] = [];
  for (const makeSender of [ownSender, (connections: number, url: string) => poolSender(url, connections)]) {
    let connections = 0;
    const slow: ServerResponse[] = [];
    const server = createServer((request, response) => {
      request.resume();
      if (request.url === '/slow') slow.push(response);
      else response.writeHead(204).end();
    });
    server.on('connection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sender = makeSender(1, url);
    const first = sender.send({ url: `${url}/slow`, method: 'POST' });
    await once(server, 'request');
    await Promise.all(Array.from({ length: 20 }, () => sender.send({ url, method: 'POST', totalTimeoutMs: 100 })));
    slow[0]?.writeHead(204).end();
    await first;
    await sender.send({ url, method: 'POST' });
    opened.push(connections);
    await sender.close();
    server.close();
  }
  const [ours, theirs] = opened;
  console.log('connections, after 20 expired in the queue'.padEnd(44), `ours ${ours}   undici Pool ${theirs}`);
}

interface Sender {
  send: Send;
  close(): Promise<void>;
}

function ownSender(connections: number): Sender {
  return createOutbound({ allowLoopback: true, maxConnectionsPerOrigin: connections });
}

/** The same exchanges, deadlines and guards, on undici's own pool. */
function poolSender(url: string, connections: number): Sender {
  const connect = createConnect({ allowLoopback: true, resolve: createResolve() });
  const target = targetOf(url);
  const pool = new Pool(target.origin, {
    ...{ connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 },
    connect: (_options, callback) => {
      void connect(target, new AbortController().signal, () => undefined).then((outcome) => {
        if (outcome.kind === 'connected') callback(null, outcome.socket);
        else callback(new Error(outcome.reason), null);
      });
    },
  });
  return {
    send: ({ url: to, method, headers = {}, body = null, totalTimeoutMs = 15_000 }) =>
      new Promise((resolve, reject) => {
        const exchange = new Exchange(
          {
            ...{ path: targetOf(to).path, method, headers, body, totalTimeoutMs },
            ...{ connectTimeoutMs: 5_000, maxResponseBytes: 16_384, signal: undefined },
          },
          { resolve, reject },
        );
        exchange.hold({ leave: () => undefined }, 'response');
        pool.dispatch(exchange.options, exchange);
      }),
    close: () => pool.destroy(),
  };
}

function targetOf(url: string): Target {
  const verdict = checkUrl(url, { allowLoopback: true });
  if (verdict.ok) return verdict.target;
  throw new Error(verdict.reason);
}
