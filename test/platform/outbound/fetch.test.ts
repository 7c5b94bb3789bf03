import { randomBytes } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { selfSigned } from './support/certificate.ts';
import { answersInTurn, outbound } from './support/client.ts';
import { drip, serveHttp, serveHttps } from './support/servers.ts';

const redirectTo =
  (location: string, status = 302) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { location }).end();
  };

/** Answers each path by its own handler. */
const routes =
  (handlers: Record<string, RequestListener>): RequestListener =>
  (request, response) => {
    const handler = handlers[request.url ?? ''];
    if (handler === undefined) response.writeHead(404).end('not here');
    else handler(request, response);
  };

describe('fetching a document', () => {
  it('answers the whole document with its status, headers and place', async () => {
    const server = await serveHttp((request, response) => {
      response.setHeader('etag', '"1"');
      response.end(JSON.stringify(request.headers));
    });
    const result = await outbound().fetchBytes(`${server.origin}/doc`, {
      maxBytes: 1000,
      headers: { accept: 'text/x' },
    });
    expect(result).toMatchObject({
      kind: 'response',
      status: 200,
      url: `${server.origin}/doc`,
      redirects: 0,
      headers: { etag: '"1"' },
    });
    const seen: unknown = JSON.parse(result.kind === 'response' ? result.body.toString() : '');
    expect(seen).toMatchObject({ accept: 'text/x', 'accept-encoding': 'identity' });
  });

  it('answers a 304 to a conditional request, and a 404, as responses', async () => {
    const server = await serveHttp((request, response) => {
      const isFresh = request.headers['if-none-match'] === '"1"';
      response.writeHead(isFresh ? 304 : 404).end();
    });
    const client = outbound();
    const fresh = await client.fetchJson(server.origin, { maxBytes: 10, headers: { 'if-none-match': '"1"' } });
    const missing = await client.fetchJson(server.origin, { maxBytes: 10 });
    expect(fresh).toMatchObject({ kind: 'response', status: 304 });
    expect(missing).toMatchObject({ kind: 'response', status: 404 });
    expect(fresh).not.toHaveProperty('json');
  });

  it.each([
    ['no encoding', undefined, (body: Buffer) => body],
    ['gzip', 'gzip', gzipSync],
    ['br', 'br', brotliCompressSync],
    ['deflate', 'deflate', deflateSync],
  ])(
    '[R15.sellers] answers the beginning of a larger one where that is asked for, in %s',
    async (_name, encoding, encode) => {
      // Random, so that its encoded form is larger than asked for too; and one whose encoded form is small.
      const [large, bomb] = [randomBytes(300_000), Buffer.alloc(300_000, 'x')];
      const headers = { ...(encoding !== undefined && { 'content-encoding': encoding }) };
      const server = await serveHttp((request, response) => {
        response.writeHead(200, headers).end(encode(request.url === '/bomb' ? bomb : large));
      });
      const client = outbound();
      const whole = await client.fetchBytes(server.origin, { maxBytes: 400_000, cuts: true });
      expect(whole).toMatchObject({ kind: 'response', body: large });
      expect(whole).not.toHaveProperty('isCut');
      const cut = await client.fetchBytes(server.origin, { maxBytes: 200_000, cuts: true });
      expect(cut).toMatchObject({ kind: 'response', status: 200, isCut: true });
      const { body } = cut as { body: Buffer };
      expect(body.length).toBeGreaterThan(100_000);
      expect(body.equals(large.subarray(0, body.length))).toBe(true);
      const start = await client.fetchBytes(`${server.origin}/bomb`, { maxBytes: 200_000, cuts: true });
      expect(start).toMatchObject({ body: bomb.subarray(0, 200_000), isCut: true });
    },
  );

  it('[R15.sellers] refuses to make a beginning of what does not decode', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip');
    });
    const result = await outbound().fetchBytes(server.origin, { maxBytes: 100, cuts: true });
    expect(result).toMatchObject({ kind: 'unusable', reason: 'body does not decode' });
  });

  it('refuses a document larger than asked for, and takes one of just that size', async () => {
    const server = await serveHttp((_request, response) => response.end(Buffer.alloc(1000)));
    const client = outbound();
    const tooLarge = await client.fetchBytes(server.origin, { maxBytes: 999 });
    const fits = await client.fetchBytes(server.origin, { maxBytes: 1000 });
    expect(tooLarge).toMatchObject({ kind: 'unusable', reason: 'body is too large', status: 200 });
    expect(fits).toMatchObject({ kind: 'response', body: { length: 1000 } });
  });

  it('parses JSON in UTF-8, and says when a body is none', async () => {
    const server = await serveHttp(
      routes({
        '/good': (_request, response) => response.end('{"name":"Bücher"}'),
        '/marked': (_request, response) => response.end('\ufeff[1]'),
        '/html': (_request, response) => response.end('<html>'),
        '/latin1': (_request, response) => response.end(Buffer.from('{"name":"Bücher"}', 'latin1')),
      }),
    );
    const client = outbound();
    const get = (path: string) => client.fetchJson(server.origin + path, { maxBytes: 1000 });
    expect(await get('/good')).toMatchObject({ kind: 'response', json: { name: 'Bücher' } });
    expect(await get('/marked')).toMatchObject({ kind: 'response', json: [1] });
    expect(await get('/html')).toMatchObject({ kind: 'unusable', reason: 'body is not json', status: 200 });
    expect(await get('/latin1')).toMatchObject({ kind: 'unusable', reason: 'body is not json' });
    expect(await get('/missing')).toMatchObject({ kind: 'response', status: 404 });
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('undoes %s, but not beyond the bound', async (encoding, compress) => {
    const server = await serveHttp(
      routes({
        '/small': (_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding }).end(compress('{"a":1}'));
        },
        '/bomb': (_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding }).end(compress(Buffer.alloc(20_000_000, ' ')));
        },
      }),
    );
    const client = outbound();
    const small = await client.fetchJson(`${server.origin}/small`, { maxBytes: 100_000 });
    const bomb = await client.fetchJson(`${server.origin}/bomb`, { maxBytes: 100_000 });
    expect(small).toMatchObject({ kind: 'response', json: { a: 1 } });
    expect(bomb).toMatchObject({ kind: 'unusable', reason: 'body is too large' });
  });

  it.each([
    ['layers of encodings', 'gzip, gzip', 'body has an unsupported encoding'],
    ['an unknown encoding', 'zstd', 'body has an unsupported encoding'],
    ['a false encoding', 'gzip', 'body does not decode'],
  ])('refuses %s', async (_what, encoding, reason) => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end('{"a":1}');
    });
    expect(await outbound().fetchJson(server.origin, { maxBytes: 100 })).toMatchObject({ kind: 'unusable', reason });
  });

  it('answers how a server failed as a send does', async () => {
    const server = await serveHttp((_request, response) => {
      response.write('a');
      const { socket } = response;
      if (socket !== null) drip(socket, '1\r\na\r\n');
    });
    const client = outbound({ allowLoopback: true });
    const slow = await withMoreTime(
      (totalTimeoutMs) => client.fetchBytes(server.origin, { maxBytes: 1_000_000, totalTimeoutMs }),
      (result) => result.kind !== 'timeout' || result.phase === 'body',
    );
    expect(slow).toMatchObject({ kind: 'timeout', phase: 'body', status: 200 });
    const refused = await client.fetchJson('https://10.0.0.1/', { maxBytes: 10 });
    expect(refused).toEqual({ kind: 'refused', reason: 'private address' });
  });

  it('asks again when a kept connection breaks under it', async () => {
    let requests = 0;
    const server = await serveHttp((request, response) => {
      if (++requests === 2) request.socket.destroy();
      else response.end('ok');
    });
    const client = outbound();
    const get = () => client.fetchBytes(server.origin, { maxBytes: 10 });
    expect(await get()).toMatchObject({ kind: 'response', reused: false });
    expect(await get()).toMatchObject({ kind: 'response', reused: false });
    expect(requests).toBe(3);
  });
});

describe('redirects of a fetched document', () => {
  it('are answers unless asked to be followed', async () => {
    const server = await serveHttp(redirectTo('/next'));
    const result = await outbound().fetchBytes(server.origin, { maxBytes: 10 });
    expect(result).toMatchObject({ kind: 'response', status: 302, redirects: 0 });
  });

  it.each([301, 302, 303, 307, 308])('are followed for a %i within the site, relative or absolute', async (status) => {
    const server = await serveHttp((request, response) => {
      const { port } = request.socket.address() as { port: number };
      if (request.url === '/') redirectTo('a/../b', status)(request, response);
      else if (request.url === '/b') redirectTo(`http://127.0.0.1:${port}/c#x`, status)(request, response);
      else response.end(request.url);
    });
    const result = await outbound().fetchBytes(`${server.origin}/`, { maxBytes: 10, redirects: 2 });
    expect(result).toMatchObject({
      kind: 'response',
      status: 200,
      url: `${server.origin}/c`,
      redirects: 2,
      body: Buffer.from('/c'),
    });
  });

  it('are refused beyond the number asked for', async () => {
    let requests = 0;
    const server = await serveHttp((request, response) => {
      requests++;
      redirectTo('/again')(request, response);
    });
    const result = await outbound().fetchBytes(server.origin, { maxBytes: 10, redirects: 3 });
    expect(result).toEqual({ kind: 'refused', reason: 'too many redirects' });
    expect(requests).toBe(4);
  });

  it.each([
    ['leave the site', 'https://other.example/', 'redirect leaves the site'],
    ['leave for a sibling under a shared suffix', 'https://other.co.uk/', 'redirect leaves the site'],
    ['lead to an address', 'https://8.8.8.8/', 'redirect leaves the site'],
    ['lead from https to http', 'http://www.buyer.co.uk/', 'redirect leaves the site'],
    ['lead to this machine', 'https://169.254.169.254/', 'redirect: cloud metadata address'],
    ['carry userinfo', 'https://user:pass@buyer.co.uk/', 'redirect: url has userinfo'],
    ['have another scheme', 'file:///etc/passwd', 'redirect: url is not absolute or not well-formed'],
    ['are no URL', 'https://[::1', 'redirect: url is not absolute or not well-formed'],
  ])('[W16] are refused when they %s', async (_what, location, reason) => {
    const identity = selfSigned({ dns: ['buyer.co.uk'] });
    const server = await serveHttps(identity, redirectTo(location));
    const client = outbound({ resolve: answersInTurn(['127.0.0.1']).resolve, ca: identity.cert });
    const result = await client.fetchBytes(`https://buyer.co.uk:${server.port}/`, { maxBytes: 10, redirects: 3 });
    expect(result).toEqual({ kind: 'refused', reason });
  });

  it('[W16] pass the address check anew at every hop', async () => {
    const identity = selfSigned({ dns: ['buyer.example', 'www.buyer.example'] });
    const server = await serveHttps(identity, (request, response) => {
      const { port } = request.socket.address() as { port: number };
      redirectTo(`https://www.buyer.example:${port}/`)(request, response);
    });
    const { resolve, asked } = answersInTurn(['127.0.0.1'], ['10.0.0.1']);
    const client = outbound({ resolve, ca: identity.cert });
    const result = await client.fetchBytes(`https://buyer.example:${server.port}/`, { maxBytes: 10, redirects: 3 });
    expect(result).toEqual({ kind: 'refused', reason: 'private address' });
    expect(asked).toEqual(['buyer.example', 'www.buyer.example']);
  });

  it('take credentials along only within the origin', async () => {
    const identity = selfSigned({ dns: ['buyer.example', 'www.buyer.example'] });
    const seen: unknown[] = [];
    const server = await serveHttps(identity, (request, response) => {
      const { authorization, cookie, accept, host } = request.headers;
      const { port } = request.socket.address() as { port: number };
      seen.push([host?.split(':')[0], request.url, authorization, cookie, accept]);
      if (request.url === '/') redirectTo('/same')(request, response);
      else if (request.url === '/same') redirectTo(`https://www.buyer.example:${port}/other`)(request, response);
      else response.end('ok');
    });
    const client = outbound({ resolve: answersInTurn(['127.0.0.1']).resolve, ca: identity.cert });
    const headers = { Authorization: 'Bearer x', cookie: 'a=1', accept: 'text/x' };
    await client.fetchBytes(`https://buyer.example:${server.port}/`, { maxBytes: 10, redirects: 3, headers });
    expect(seen).toEqual([
      ['buyer.example', '/', 'Bearer x', 'a=1', 'text/x'],
      ['buyer.example', '/same', 'Bearer x', 'a=1', 'text/x'],
      ['www.buyer.example', '/other', undefined, undefined, 'text/x'],
    ]);
  });

  it('share one deadline', async () => {
    const server = await serveHttp((request, response) => {
      setTimeout(() => {
        redirectTo('/again')(request, response);
      }, 400).unref();
    });
    const client = outbound();
    const result = await client.fetchBytes(server.origin, { maxBytes: 10, redirects: 50, totalTimeoutMs: 2_000 });
    expect(result).toMatchObject({ kind: 'timeout' });
    await client.close();
    await until(() => server.open() === 0);
  });
});
