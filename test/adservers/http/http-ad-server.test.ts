import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpAdServerOptions } from '../../../src/adservers/http/http-ad-server.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import type { Held } from '../../../src/sales/ad-server/held.ts';
import { answering, closedPort, drip, serveHttp, serveTcp } from '../../platform/outbound/support/servers.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { clientAt, serveBridge, TOKEN } from './support/bridge.ts';
import { keptAdServer } from './support/kept-ad-server.ts';

const NOW = Date.UTC(2026, 0, 1);
const ID = mediaBuyId('mb_1');
const NEVER_HEARD_OF = { found: false } as const;

/** What a read comes to at a server. */
async function readAt(url: string, options: Partial<HttpAdServerOptions> = {}): Promise<unknown> {
  const client = clientAt(url, { clock: { now: () => NOW }, ...options });
  return client.read(ID).catch((error: unknown) => error);
}

/** The same, of one that gives no whole answer: it waits no longer than it must to have sent what it asks. */
const outOfTimeAt = (url: string) =>
  withMoreTime(
    (callTimeoutMs) => readAt(url, { callTimeoutMs }),
    (fault) => (fault as { sent?: string }).sent !== 'no',
  );

async function answeredBy(answer: (response: ServerResponse) => void, options?: Partial<HttpAdServerOptions>) {
  const server = await serveHttp((_request, response) => {
    answer(response);
  });
  return readAt(server.origin, options);
}

function status(code: number, headers: Record<string, string> = {}, body = '') {
  return (response: ServerResponse) => {
    response.writeHead(code, headers).end(body);
  };
}

describe('Unreachable', () => {
  it('of a port that nobody listens on: nothing was sent', async () => {
    const fault = await readAt(`http://127.0.0.1:${await closedPort()}`);
    expect(fault).toMatchObject({ name: 'Unreachable', sent: 'no', retryAtMs: undefined });
    expect((fault as Error).message).toBe(
      'GET /v1/orders/mb_1 of the ad server has no whole answer: connection refused',
    );
  });

  it('of a name that does not exist: nothing was sent', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    const outbound = createOutbound({ allowLoopback: false, trustsUrls: true, resolve });
    onTestFinished(() => outbound.close());
    const fault = await readAt('https://ad-server.example', { outbound });
    expect(fault).toMatchObject({ name: 'Unreachable', sent: 'no' });
  });

  it('of a connection that is reset: what was sent may have had an effect', async () => {
    const server = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.resetAndDestroy();
      });
    });
    expect(await readAt(server.origin)).toMatchObject({ name: 'Unreachable', sent: 'unknown' });
  });

  it('of a connection that is closed before the answer', async () => {
    const server = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.end();
      });
    });
    expect(await readAt(server.origin)).toMatchObject({ name: 'Unreachable', sent: 'unknown' });
  });

  it('of a server that hangs, until the time is out', async () => {
    const fault = await outOfTimeAt((await serveHttp(() => undefined)).origin);
    expect(fault).toMatchObject({ name: 'Unreachable', sent: 'unknown' });
    expect((fault as Error).message).toContain('no answer in time (response)');
  });

  it('of a server that drips its answer, until the time is out', async () => {
    const server = await serveTcp((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n');
        drip(socket, ' ');
      });
    });
    expect(await outOfTimeAt(server.origin)).toMatchObject({ name: 'Unreachable', sent: 'unknown' });
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('of the status %s', async (code) => {
    const fault = await answeredBy(status(code));
    expect(fault).toMatchObject({ name: 'Unreachable', sent: 'unknown', retryAtMs: undefined });
  });

  it.each([
    ['7', NOW + 7_000],
    ['0', NOW],
    ['3601', NOW + 3_600_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', NOW + 60_000],
    ['Fri, 02 Jan 2026 00:00:00 GMT', NOW + 3_600_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', NOW],
    ['soon', undefined],
  ])('with Retry-After: %s, at %s and at most an hour from now', async (header, at) => {
    for (const code of [429, 503]) {
      expect(await answeredBy(status(code, { 'Retry-After': header }))).toMatchObject({ retryAtMs: at });
    }
  });

  it.each(['200 OK', '400 No', '422 No', '500 No'])('of half the body of a %s', async (said) => {
    const server = await serveTcp((socket) => {
      socket.once('data', () => socket.end(`HTTP/1.1 ${said}\r\nContent-Length: 100\r\n\r\n{"found":fal`));
    });
    expect(await readAt(server.origin)).toMatchObject({ name: 'Unreachable', sent: 'unknown' });
  });

  it('of half of a chunked body', async () => {
    const half = (response: ServerResponse) => {
      response.write('{"found":fal', () => response.destroy());
    };
    expect(await answeredBy(half)).toMatchObject({ name: 'Unreachable', sent: 'unknown' });
  });
});

describe('Misconfigured', () => {
  it.each([401, 403])('is what the status %s says', async (code) => {
    expect(await answeredBy(status(code))).toMatchObject({ name: 'Misconfigured' });
  });

  it('is a wrong token at a bridge of ours', async () => {
    const url = await serveBridge(keptAdServer().adServer, { token: 'another-token' });
    expect(await readAt(url)).toMatchObject({ name: 'Misconfigured' });
  });
});

describe('Broken', () => {
  it.each([
    ['an answer of another shape', status(200, {}, '{"found":"maybe"}')],
    ['an answer with a field too many', status(200, {}, '{"found":false,"more":1}')],
    ['no JSON', status(200, {}, 'found: false')],
    ['no UTF-8', (response: ServerResponse) => response.end(Buffer.from([0x22, 0xff, 0x22]))],
    ['nothing at all', status(200)],
    ['a status that the call does not have', status(202, {}, '{"found":false}')],
    ['a redirect', status(302, { Location: '/elsewhere' })],
    ['a refusal of the request', status(400, {}, '{"error":{"code":"broken","message":"why"}}')],
    ['a path that is not there', status(404)],
    ['JSON that ends too early', (response: ServerResponse) => response.end('{"found":')],
  ])('is %s', async (_what, answer: (response: ServerResponse) => unknown) => {
    expect(await answeredBy(answer)).toMatchObject({ name: 'Broken' });
  });

  it('is something else than HTTP', async () => {
    const server = await serveTcp(answering('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await readAt(server.origin)).toMatchObject({ name: 'Broken' });
  });

  it('is an answer larger than may be, of which no more is read', async () => {
    const body = JSON.stringify({ found: false, more: 'x'.repeat(1_000_000) });
    const fault = await answeredBy(status(200, {}, body), { maxAnswerBytes: 10_000 });
    expect(fault).toMatchObject({ name: 'Broken' });
    expect((fault as Error).message).toContain('more than may be');
  });

  it('is an outcome under the status of another', async () => {
    const server = await serveHttp((_request, response) => {
      response.writeHead(202).end('{"outcome":"stale","version":3}');
    });
    const fault = await clientAt(server.origin)
      .put({ media_buy_id: ID } as never)
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: 'Broken' });
  });
});

describe('the token', () => {
  it('is sent with every call and stands in no fault, even where the ad server repeats it', async () => {
    const sent: (string | undefined)[] = [];
    const parrot = (code: number) =>
      serveHttp((request, response) => {
        sent.push(request.headers.authorization);
        const body = { error: { code: TOKEN, message: `no such token: ${TOKEN}` }, [TOKEN]: 1, found: TOKEN };
        response.writeHead(code).end(JSON.stringify(body));
      });
    for (const code of [200, 400, 401, 418, 500]) {
      const fault = await readAt((await parrot(code)).origin);
      expect(fault).toBeInstanceOf(Error);
      const { message, stack = '', cause } = fault as Error;
      expect(message + stack + JSON.stringify(fault) + JSON.stringify(cause ?? '')).not.toContain(TOKEN);
      expect(sent.at(-1)).toBe(`Bearer ${TOKEN}`);
    }
    expect(sent).toHaveLength(5);
  });

  it('that no header can carry is refused at once, unsaid', () => {
    const make = (token: string) => () => clientAt('http://127.0.0.1', { token });
    for (const token of ['', 'se cret', 'secret\n', 'sécret']) {
      expect(make(token)).toThrow('characters that no header carries');
      if (token !== '') expect(make(token)).not.toThrow(token);
    }
  });
});

describe('what the ad server says', () => {
  it('comes to the operator as one short line', async () => {
    const body = JSON.stringify({ error: { code: 'teapot', message: `a\nb\u202ec${'x'.repeat(1_000)}` } });
    const fault = (await answeredBy(status(418, {}, body))) as Error;
    expect(fault.message).toMatch(/^GET \/v1\/orders\/mb_1 of the ad server is answered 418: teapot: a b cx{200,300}$/);
  });

  it('may leave out a side of a difference that is not there', async () => {
    const held: Held = {
      found: true,
      state: 'running',
      native: { order: '1', lines: {}, creatives: {} },
      lines: [],
      differences: [{ pointer: '/lines/0', theirs: 1 }],
      as_of: '2026-01-01T00:00:00.000Z',
    };
    expect(await readAt(await serveBridge(keptAdServer({ read: held }).adServer))).toEqual(held);
  });
});

describe('the url', () => {
  it('may have a path of its own, and slashes at its end', async () => {
    const paths: (string | undefined)[] = [];
    const server = await serveHttp((request, response) => {
      paths.push(request.url);
      response.end(JSON.stringify(NEVER_HEARD_OF));
    });
    expect(await readAt(`${server.origin}/seller/7//`)).toEqual(NEVER_HEARD_OF);
    expect(paths).toEqual(['/seller/7/v1/orders/mb_1']);
  });

  it.each(['ftp://ad-server.example', 'http://user:pw@ad-server.example', 'http://ad-server.example/?x=1', 'nowhere'])(
    '%s is refused at once',
    (url) => {
      expect(() => clientAt(url)).toThrow(TypeError);
    },
  );
});
