import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { boundedFetchJson } from '#receiver';
import { guardedFetchJson } from '#receiver/node/index';
import type { LookupAll } from '#receiver/node/index';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, host, resolve));
  return `http://${host}:${(started.address() as AddressInfo).port}`;
}

describe.each([
  ['boundedFetchJson', boundedFetchJson],
  ['guardedFetchJson', guardedFetchJson],
])('%s', (_name, open) => {
  const fetchJson = open({ allowLoopback: true });

  it('gives status and document', async () => {
    const url = await serve((_request, response) => response.writeHead(201).end('{"a":[1]}'));
    expect(await fetchJson(`${url}/jwks.json`)).toEqual({ status: 201, json: { a: [1] } });
    expect(await fetchJson(url.replace('127.0.0.1', 'localhost'))).toEqual({ status: 201, json: { a: [1] } });
  });

  it('gives no document where there is no JSON', async () => {
    const url = await serve((_request, response) => response.writeHead(404).end('<html>'));
    expect(await fetchJson(url)).toEqual({ status: 404, json: undefined });
  });

  it('[W16] does not follow a redirect', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/there' }).end();
      else response.end('{}');
    });
    expect(await fetchJson(url)).toEqual({ status: 302, json: undefined });
  });

  it('[W16] stops at 64 KiB, however the body comes', async () => {
    const url = await serve((_request, response) => {
      const drip = () => {
        if (!response.destroyed && response.write('x'.repeat(65_536))) setImmediate(drip);
        else response.once('drain', drip);
      };
      drip();
    });
    await expect(fetchJson(url)).rejects.toThrow(RangeError);
  });

  it('rejects when nobody answers', async () => {
    const url = await serve(() => undefined);
    server?.close();
    await expect(fetchJson(url)).rejects.toThrow();
  });

  it.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'https://localhost:1/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/',
    'http://buyer.example/',
    'https://user:pass@buyer.example/',
    'file:///etc/hostname',
    'nonsense',
  ])('[W16] refuses %s', async (url) => {
    await expect(open()(url)).rejects.toThrow(/cannot be fetched/);
  });

  it('[W16] allows loopback without allowing other internal addresses', async () => {
    await expect(fetchJson('https://10.0.0.1/')).rejects.toThrow(/cannot be fetched/);
  });
});

describe('guardedFetchJson', () => {
  it.each([
    ['an internal address', ['10.0.0.1']],
    ['an internal address among public ones', ['93.184.216.34', '::ffff:169.254.169.254']],
    ['this machine', ['127.0.0.1']],
    ['nothing', []],
  ])('[W16] refuses a name that means %s when it is connected to', async (_what, addresses) => {
    const lookup: LookupAll = (_hostname, _options, callback) => {
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    for (const allowLoopback of [false, true]) {
      await expect(guardedFetchJson({ allowLoopback, lookup })('https://buyer.example/')).rejects.toThrow(/refused/);
    }
  });

  it('[W16] refuses a loopback name that leads elsewhere', async () => {
    const lookup: LookupAll = (_hostname, _options, callback) => {
      callback(null, [{ address: '93.184.216.34', family: 4 }]);
    };
    await expect(guardedFetchJson({ allowLoopback: true, lookup })('http://localhost/')).rejects.toThrow(/refused/);
  });

  it('rejects when the name is not known', async () => {
    const lookup: LookupAll = (hostname, _options, callback) => {
      // As dns.lookup does: without a second argument.
      (callback as (error: Error) => void)(new Error(`no ${hostname}`));
    };
    await expect(guardedFetchJson({ lookup })('https://buyer.example/')).rejects.toThrow('no buyer.example');
  });
});
