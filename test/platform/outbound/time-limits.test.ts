import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OutboundResult } from '../../../src/platform/outbound/outbound-result.ts';
import { until } from '../../support/until.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { outbound } from './support/client.ts';
import { drip, serveHttp, serveTcp } from './support/servers.ts';

/** What a request comes to that has time enough to get into that phase. */
const inPhase = (phase: string, send: (ms: number) => Promise<OutboundResult>) =>
  withMoreTime(send, (result) => result.kind !== 'timeout' || result.phase === phase);

const never = (): Promise<never> => new Promise(() => undefined);

type Slow = readonly [what: string, answer: (socket: Socket) => void, phase: string, status: number | undefined];

/** Receivers that take their time, the phase in which time runs out, and the status known by then. */
const SLOW: readonly Slow[] = [
  ['accepts and says nothing', () => undefined, 'response', undefined],
  [
    'drips its status line',
    (socket) => {
      socket.write('HTTP/1.1 200 O');
      drip(socket, 'K');
    },
    'response',
    undefined,
  ],
  [
    'drips headers',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      drip(socket, 'x-a: b\r\n');
    },
    'response',
    undefined,
  ],
  [
    'drips a body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n');
      drip(socket, 'a');
    },
    'body',
    200,
  ],
  [
    'drips chunks',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      drip(socket, '1\r\na\r\n');
    },
    'body',
    200,
  ],
  [
    'promises a body and stops',
    (socket) => socket.write('HTTP/1.1 503 No\r\ncontent-length: 5\r\n\r\nab'),
    'body',
    503,
  ],
];

describe('limits of time', () => {
  it.each(SLOW)('[W8] bounds a receiver that %s', async (_what, answer, phase, status) => {
    const server = await serveTcp((socket) => {
      socket.once('data', () => {
        answer(socket);
      });
    });
    const result = await inPhase(phase, (totalTimeoutMs) =>
      outbound().send({ url: server.origin, method: 'POST', body: '{}', totalTimeoutMs }),
    );
    expect(result).toMatchObject({
      kind: 'timeout',
      phase,
      address: '127.0.0.1',
      ...(status !== undefined && { status }),
    });
    expect('status' in result).toBe(status !== undefined);
    await until(() => server.open() === 0);
  });

  it('[W8] reads an endless body no further than its bound', async () => {
    const server = await serveHttp((_request, response) => {
      const more = (): void => {
        while (response.write(Buffer.alloc(65_536))) continue;
      };
      response.on('drain', more);
      more();
    });
    const result = await outbound().send({ url: server.origin, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'response', status: 200, truncated: true, body: { length: 16_384 } });
    await until(() => server.open() === 0);
  });

  it('[W8] bounds a receiver that never reads a large request', async () => {
    const server = await serveTcp((socket) => socket.pause());
    const body = Buffer.alloc(20_000_000);
    const result = await inPhase('response', (totalTimeoutMs) =>
      outbound().send({ url: server.origin, method: 'POST', body, totalTimeoutMs }),
    );
    expect(result).toMatchObject({ kind: 'timeout', phase: 'response' });
  });

  it('[W8] bounds a name server that never answers', async () => {
    const result = await outbound({ resolve: never }).send({
      url: 'https://buyer.example/',
      method: 'POST',
      connectTimeoutMs: 50,
    });
    expect(result).toMatchObject({ kind: 'timeout', phase: 'dns' });
  });

  it('[W8] bounds a host that takes no connection', async () => {
    const port = await portWithFullBacklog();
    const client = outbound();
    const url = `http://127.0.0.1:${port}/`;
    const result = await inPhase('connect', (connectTimeoutMs) =>
      client.send({ url, method: 'POST', connectTimeoutMs, totalTimeoutMs: 600_000 }),
    );
    expect(result).toMatchObject({ kind: 'timeout', phase: 'connect' });
    expect(result).not.toHaveProperty('address');
  });

  it('[W8] bounds a TLS handshake that never ends', async () => {
    const server = await serveTcp((socket) => socket.resume());
    const url = `https://127.0.0.1:${server.port}/`;
    const result = await inPhase('tls', (connectTimeoutMs) =>
      outbound().send({ url, method: 'POST', connectTimeoutMs, totalTimeoutMs: 600_000 }),
    );
    expect(result).toMatchObject({ kind: 'timeout', phase: 'tls' });
    await until(() => server.open() === 0);
  });

  it('[W8] bounds the wait for a free connection, and then serves those that come after', async () => {
    const held: (() => void)[] = [];
    const server = await serveHttp((_request, response) => {
      held.push(() => response.end('ok'));
    });
    const client = outbound({ maxConnectionsPerOrigin: 1 });
    const first = client.send({ url: server.origin, method: 'POST' });
    const second = await client.send({ url: server.origin, method: 'POST', totalTimeoutMs: 50 });
    expect(second).toMatchObject({ kind: 'timeout', phase: 'queue' });
    await until(() => held.length === 1);
    held[0]?.();
    expect(await first).toMatchObject({ kind: 'response', status: 200 });
    const third = client.send({ url: server.origin, method: 'POST' });
    await until(() => held.length === 2);
    held[1]?.();
    expect(await third).toMatchObject({ kind: 'response', status: 200, reused: true });
  });

  it('lets those that wait go on when the one that was connecting runs out of time', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    let asked = 0;
    const resolve = () => (++asked === 1 ? never() : Promise.resolve([{ address: '127.0.0.1', family: 4 }]));
    const client = outbound({ resolve, maxConnectionsPerOrigin: 1 });
    const url = `http://buyer.example:${server.port}/`;
    const stuck = client.send({ url, method: 'POST', connectTimeoutMs: 50 });
    const waiting = client.send({ url, method: 'POST' });
    expect(await stuck).toMatchObject({ kind: 'timeout', phase: 'dns' });
    expect(await waiting).toMatchObject({ kind: 'response', status: 200 });
  });
});

/** A port whose process is stopped and whose queue of connections is full, so that the next one gets no answer. */
async function portWithFullBacklog(): Promise<number> {
  const listen = `const s = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(s.address().port))`;
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGSTOP');
  const port = Number(output.toString());
  for (let n = 0; n < 16; n++) sockets.push(connect(port, '127.0.0.1').on('error', () => undefined));
  await until(() => sockets.some(({ pending }) => !pending));
  return port;
}
