import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { answersInTurn, outbound } from './support/client.ts';
import { answering, closedPort, serveHttp, serveTcp } from './support/servers.ts';

const bodyOf = async (request: IncomingMessage): Promise<Buffer> =>
  Buffer.concat((await request.toArray()) as Buffer[]);

describe('sending one request', () => {
  it('sends method, path, headers and body bytes as given, and answers what came back', async () => {
    const server = await serveHttp((request, response) => {
      void bodyOf(request).then((body) => {
        const { method, url, headers } = request;
        response.writeHead(202, { 'X-Seen': 'Yes', 'Set-Cookie': ['a=1', 'b=2'] });
        response.end(JSON.stringify({ method, url, headers, body: body.toString('hex') }));
      });
    });
    const result = await outbound().send({
      url: `${server.origin}/hook/%7e?b=2&a=1#frag`,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Signature-Input': 'sig1=()' },
      body: Buffer.from([0, 255, 123]),
    });
    expect(result).toMatchObject({
      kind: 'response',
      status: 202,
      headers: { 'x-seen': 'Yes', 'set-cookie': 'a=1, b=2' },
      truncated: false,
      address: '127.0.0.1',
      reused: false,
    });
    expect(JSON.parse(result.kind === 'response' ? result.body.toString() : '')).toEqual({
      method: 'POST',
      url: '/hook/%7e?b=2&a=1',
      headers: {
        host: `127.0.0.1:${server.port}`,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'signature-input': 'sig1=()',
        'content-length': '3',
      },
      body: '00ff7b',
    });
  });

  it.each([301, 302, 303, 307, 308])('[W16] answers a %i to a POST and follows it nowhere', async (status) => {
    const elsewhere = await serveHttp((_request, response) => response.end());
    const server = await serveHttp((_request, response) => {
      response.writeHead(status, { location: `${elsewhere.origin}/` }).end();
    });
    const result = await outbound().send({ url: server.origin, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'response', status, headers: { location: `${elsewhere.origin}/` } });
    expect(elsewhere.connections()).toBe(0);
  });

  it.each([204, 401, 410, 429, 500, 503])('answers a %i as a response', async (status) => {
    const server = await serveHttp((_request, response) => response.writeHead(status, { 'retry-after': '7' }).end());
    const result = await outbound().send({ url: server.origin, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'response', status, headers: { 'retry-after': '7' }, truncated: false });
  });

  it('measures each phase, and none of connecting on a reused connection', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const client = outbound({ resolve: answersInTurn(['127.0.0.1']).resolve });
    const send = () => client.send({ url: `http://buyer.example:${server.port}/`, method: 'POST', body: '{}' });
    const first = await send();
    const second = await send();
    if (first.kind !== 'response' || second.kind !== 'response') throw new Error('no response');
    expect(first.reused).toBe(false);
    expect(first.timings.connect_ms).toBeGreaterThan(0);
    expect(first.timings.first_byte_ms).toBeGreaterThan(0);
    const { dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms } = first.timings;
    expect(total_ms).toBeGreaterThanOrEqual(Math.floor(dns_ms + connect_ms + tls_ms + first_byte_ms));
    expect(second).toMatchObject({ reused: true, timings: { dns_ms: 0, connect_ms: 0, tls_ms: 0 } });
    expect(server.connections()).toBe(1);
  });

  it('[W8] reads a body to the bound and drops the rest, and the next request works', async () => {
    const server = await serveHttp((_request, response) => response.end(Buffer.alloc(100_000, 'x')));
    const client = outbound();
    const cut = await client.send({ url: server.origin, method: 'POST' });
    expect(cut).toMatchObject({ kind: 'response', status: 200, truncated: true, body: { length: 16_384 } });
    await until(() => server.open() === 0);
    const whole = await client.send({ url: server.origin, method: 'POST', maxResponseBytes: 100_000 });
    expect(whole).toMatchObject({ kind: 'response', truncated: false, body: { length: 100_000 } });
  });

  it('[W8] keeps a gzip bomb packed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const result = await outbound().send({ url: server.origin, method: 'POST' });
    expect(result).toMatchObject({ kind: 'response', status: 200, body: bomb });
  });

  it('sends many requests at once over a bounded number of connections, and answers each', async () => {
    const server = await serveHttp((request, response) => {
      void bodyOf(request).then((body) => response.end(body));
    });
    const client = outbound({ maxConnectionsPerOrigin: 4 });
    const send = (n: number) => client.send({ url: server.origin, method: 'POST', body: String(n) });
    const results = await Promise.all(Array.from({ length: 500 }, (_, n) => send(n)));
    const bodies = results.map((result) => (result.kind === 'response' ? result.body.toString() : result.kind));
    expect(bodies).toEqual(Array.from({ length: 500 }, (_, n) => String(n)));
    expect(server.connections()).toBe(4);
  });

  it('goes on to a new connection when a kept one was closed meanwhile', async () => {
    const server = await serveHttp((_request, response) => {
      response.end('ok');
      response.socket?.end();
    });
    const client = outbound();
    for (let n = 1; n <= 5; n++) {
      expect(await client.send({ url: server.origin, method: 'POST' })).toMatchObject({ kind: 'response' });
      await until(() => server.open() === 0);
    }
    expect(server.connections()).toBe(5);
  });

  it('keeps serving those that wait when every connection is closed after its answer', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const client = outbound({ maxConnectionsPerOrigin: 3 });
    const send = () => client.send({ url: server.origin, method: 'POST', body: '{}' });
    const results = await Promise.all(Array.from({ length: 60 }, send));
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['response']));
    expect(server.connections()).toBe(60);
  });

  it('[W11] calls a port that nobody listens on "connection refused"', async () => {
    const url = `http://127.0.0.1:${await closedPort()}/`;
    const result = await outbound().send({ url, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'connection_error', reason: 'connection refused', reused: false });
  });

  it.each([
    ['connection closed', 'end'],
    ['connection reset', 'resetAndDestroy'],
  ] as const)('[W11] calls a hang-up %s', async (reason, hangUp) => {
    const { origin } = await serveTcp((socket) => {
      socket.once('data', () => {
        socket[hangUp]();
      });
    });
    const result = await outbound().send({ url: origin, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'connection_error', reason, reused: false });
  });

  it.each([
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n', 'response is not valid http'],
    [
      'an upgrade nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'response is not valid http',
    ],
    ['a flood of interim responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50), 'response is not valid http'],
    ['a head that is too large', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 'response headers too large'],
    ['a line that is no header', 'HTTP/1.1 200 OK\r\n<html>\r\n\r\n', 'response is not valid http'],
  ])('[W11] calls %s a connection error', async (_what, bytes, reason) => {
    const server = await serveTcp(answering(bytes));
    const result = await outbound().send({ url: server.origin, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'connection_error', reason });
    await until(() => server.open() === 0);
  });

  it.each([
    ['of a given length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    ['of a given length, the last,', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\nabc'],
    ['in chunks, the last,', 'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n3\r\na'],
  ])('says which status had come when a body %s breaks off', async (_what, bytes) => {
    const server = await serveTcp((socket) => {
      socket.once('data', () => socket.end(bytes));
    });
    const result = await outbound().send({ url: server.origin, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'connection_error', reason: 'connection closed', status: 200 });
  });

  it('takes a body that ends with the connection, and interim responses before it', async () => {
    const server = await serveTcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.0 200 OK\r\n\r\nabc'));
    });
    const result = await outbound().send({ url: server.origin, method: 'POST', body: '{}' });
    expect(result).toMatchObject({ kind: 'response', status: 200, body: Buffer.from('abc') });
  });

  it.each([
    ['a line break in a value', { 'x-note': 'a\r\nhost: evil' }],
    ['a name that is no token', { 'x note': 'a' }],
    ['a host', { Host: 'evil.example' }],
    ['another transfer encoding', { 'transfer-encoding': 'chunked' }],
    ['a wrong length', { 'content-length': '99' }],
  ])('throws on a header with %s, and sends nothing', async (_what, headers) => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const client = outbound();
    await expect(client.send({ url: server.origin, method: 'POST', headers, body: '{}' })).rejects.toThrow(Error);
    expect(await client.send({ url: server.origin, method: 'POST', body: '{}' })).toMatchObject({ status: 200 });
  });
});
