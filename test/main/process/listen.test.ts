import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from '../../../src/main/process/listen.ts';
import { until } from '../../support/until.ts';

it('[S1] a request that does not come to its end is cut off, and a stream that has begun is not', async () => {
  const listening = await listen('127.0.0.1', 0, { requestMs: 200 });
  const port = Number(new URL(listening.url).port);
  let endStream = (): unknown => undefined;
  listening.answer((request, response) => {
    if (request.method !== 'GET') {
      request.resume();
      return;
    }
    response.write('begun\n');
    endStream = () => response.end('ended\n');
  });
  try {
    const { stream, streamed } = await until(() => begunStream(port));

    for (const half of ['POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"a":', 'POST / HTTP/1.1\r\nHost:']) {
      const slow = connect(port, '127.0.0.1').setEncoding('utf8');
      slow.write(half);
      let answered = '';
      slow.on('data', (text: string) => (answered += text));
      await once(slow, 'close');
      expect(answered).toMatch(/^HTTP\/1\.1 408 /);
    }

    expect(streamed()).not.toContain('ended');
    endStream();
    await once(stream, 'close');
    expect(streamed()).toContain('ended');
  } finally {
    await listening.stop();
  }
});

it('[S1] kept connections stay open for longer than balancers keep them, and hold up no stop', async () => {
  // Only idleness closes connections here: the time of grace is longer than a test may take.
  const listening = await listen('127.0.0.1', 0, { graceMs: 600_000 });
  const underWay = new Map<string, ServerResponse>();
  let hear = (): unknown => undefined;
  const areUnderWay = new Promise<void>((resolve) => (hear = resolve));
  listening.answer((request, response) => {
    if (request.url === '/idle') response.end('done');
    else underWay.set(request.url ?? '', response);
    if (request.url === '/begun') response.write('begun ');
    if (underWay.size === 2) hear();
  });

  const idle = keptConnection(listening.url, '/idle');
  await idle.isHeard;
  expect(idle.answered()).toMatch(/^Connection: keep-alive\r\nKeep-Alive: timeout=65\r$/m);
  const begun = keptConnection(listening.url, '/begun');
  const late = keptConnection(listening.url, '/late');
  await areUnderWay;
  await begun.isHeard;

  const stop = listening.stop();
  await idle.isClosed;
  for (const { path, isClosed } of [begun, late]) {
    underWay.get(path)?.end('done');
    await isClosed;
  }
  await stop;
  expect(begun.answered()).toMatch(/begun .*done/s);
  expect(late.answered()).toMatch(/^HTTP\/1\.1 200 .*^Connection: close\r$.*done$/ms);
});

/** A stream that has begun; undefined where its request was cut off, too, since this process stood still before it came. */
async function begunStream(port: number) {
  const stream = connect(port, '127.0.0.1').setEncoding('utf8');
  let streamed = '';
  stream.on('data', (text: string) => (streamed += text));
  stream.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await once(stream, 'data');
  return streamed.includes('begun') ? { stream, streamed: () => streamed } : undefined;
}

/** A connection that sends one request and is kept by its client for the next. */
function keptConnection(url: string, path: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
  let answered = '';
  socket.on('data', (text: string) => (answered += text));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return { path, isHeard: once(socket, 'data'), isClosed: once(socket, 'close'), answered: () => answered };
}
