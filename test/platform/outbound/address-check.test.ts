import { describe, expect, it } from 'vitest';
import type { Resolve } from '../../../src/platform/outbound/resolve.ts';
import type { SecurityLog } from '../../../src/platform/security/security-log.ts';
import { answersInTurn, outbound } from './support/client.ts';
import { serveHttp, serveTcp } from './support/servers.ts';

const ok = (_request: unknown, response: { end: (text: string) => void }): void => {
  response.end('ok');
};

describe('the address check at connect time', () => {
  it.each([
    ['a private address', ['10.0.0.1'], 'private address'],
    ['a metadata address', ['169.254.169.254'], 'cloud metadata address'],
    ['loopback', ['127.0.0.1'], 'loopback address'],
    ['one bad address after a good one', ['8.8.8.8', '192.168.0.1'], 'private address'],
    ['one bad address before a good one', ['::1', '2606:4700::1'], 'loopback address'],
    ['a bad address embedded in a good-looking one', ['8.8.8.8', '64:ff9b::a00:1'], 'embedded private address'],
    ['something that is no address', ['8.8.8.8', 'elsewhere.example'], 'malformed address'],
  ])('[W16] refuses a name that resolves to %s', async (_what, addresses, rule) => {
    const { resolve } = answersInTurn(addresses);
    const client = outbound({ allowLoopback: false, resolve });
    const result = await client.send({ url: 'https://buyer.example/hook', method: 'POST' });
    expect(result).toEqual({ kind: 'refused', reason: rule });
  });

  it.each([
    ['a private address', ['10.0.0.1'], 'private address'],
    ['loopback and a public address', ['127.0.0.1', '8.8.8.8'], 'loopback address'],
    ['mapped loopback', ['::ffff:127.0.0.1'], 'embedded loopback address'],
    ['the unspecified address', ['0.0.0.0'], 'unspecified address'],
  ])('[W16] refuses %s even where loopback is allowed', async (_what, addresses, rule) => {
    const { resolve } = answersInTurn(addresses);
    const result = await outbound({ resolve }).send({ url: 'https://buyer.example/hook', method: 'POST' });
    expect(result).toEqual({ kind: 'refused', reason: rule });
  });

  it('[W16] refuses http to a public address, and localhost that leads elsewhere', async () => {
    const client = outbound({ resolve: answersInTurn(['8.8.8.8']).resolve });
    const toName = await client.send({ url: 'http://buyer.example/', method: 'POST' });
    const toLocalhost = await client.send({ url: 'https://localhost/', method: 'POST' });
    expect(toName).toEqual({ kind: 'refused', reason: 'url scheme is not https' });
    expect(toLocalhost).toEqual({ kind: 'refused', reason: 'name of this machine leads elsewhere' });
  });

  it.each(['127.0.0.1', '[::1]', 'localhost', '0x7f.1'])(
    '[W16] connects to nothing at %s unless loopback is allowed',
    async (host) => {
      const server = await serveHttp(ok);
      const client = outbound({ allowLoopback: false });
      for (const scheme of ['http', 'https']) {
        const result = await client.send({ url: `${scheme}://${host}:${server.port}/`, method: 'POST' });
        expect(result).toEqual({ kind: 'refused', reason: 'loopback address' });
      }
      expect(server.connections()).toBe(0);
    },
  );

  it.each(['127.0.0.1', '127.1', 'localhost', 'buyer.localhost'])(
    '[W16] reaches %s where loopback is allowed',
    async (host) => {
      const server = await serveHttp(ok);
      const result = await outbound().send({ url: `http://${host}:${server.port}/`, method: 'POST' });
      expect(result).toMatchObject({ kind: 'response', status: 200, address: '127.0.0.1' });
    },
  );

  it.each(['127.0.0.1', 'ad-server.internal', 'localhost'])(
    'reaches %s over plain http where the URL is the operator’s own setting, and by PUT',
    async (host) => {
      const server = await serveHttp((request, response) => {
        response.end(request.method);
      });
      const client = outbound({
        allowLoopback: false,
        trustsUrls: true,
        resolve: answersInTurn(['127.0.0.1']).resolve,
      });
      const result = await client.send({ url: `http://${host}:${server.port}/`, method: 'PUT', body: '{}' });
      expect(result).toMatchObject({ kind: 'response', status: 200, body: Buffer.from('PUT') });
    },
  );

  it('[W16] connects to the answer it checked, asking once per connection', async () => {
    const server = await serveHttp((request, response) => {
      response.setHeader('connection', 'close');
      response.end(request.socket.localAddress);
    }, '0.0.0.0');
    const { resolve, asked } = answersInTurn(['127.0.0.2'], ['127.0.0.3'], ['10.0.0.1']);
    const client = outbound({ resolve });
    const send = () => client.send({ url: `http://buyer.example:${server.port}/`, method: 'POST' });
    expect(await send()).toMatchObject({ address: '127.0.0.2', body: Buffer.from('127.0.0.2') });
    expect(asked).toHaveLength(1);
    expect(await send()).toMatchObject({ address: '127.0.0.3', body: Buffer.from('127.0.0.3') });
    expect(asked).toHaveLength(2);
    expect(await send()).toEqual({ kind: 'refused', reason: 'private address' });
    expect(server.connections()).toBe(2);
  });

  it('[W16] gives a name that first says public and then loopback no way in', async () => {
    const server = await serveTcp(() => undefined);
    const cancel = new AbortController();
    const { resolve: answer, asked } = answersInTurn(['8.8.8.8'], ['127.0.0.1']);
    const resolve: Resolve = async (hostname, options) => {
      const addresses = await answer(hostname, options);
      if (asked.length === 1) cancel.abort(new Error('checked; no need to really go there'));
      return addresses;
    };
    const client = outbound({ allowLoopback: false, resolve });
    const request = { url: `https://rebind.example:${server.port}/`, method: 'POST' } as const;
    await expect(client.send({ ...request, signal: cancel.signal })).rejects.toThrow('no need to really go there');
    expect(asked).toHaveLength(1);
    expect(await client.send(request)).toEqual({ kind: 'refused', reason: 'loopback address' });
    expect(server.connections()).toBe(0);
  });

  it('[W16] keeps a connection to the address that was checked, whatever the name says later', async () => {
    const server = await serveHttp(ok);
    const { resolve, asked } = answersInTurn(['127.0.0.1'], ['10.0.0.1']);
    const client = outbound({ resolve });
    const send = () => client.send({ url: `http://buyer.example:${server.port}/`, method: 'POST' });
    expect(await send()).toMatchObject({ kind: 'response', reused: false });
    expect(await send()).toMatchObject({ kind: 'response', reused: true, address: '127.0.0.1' });
    expect(asked).toHaveLength(1);
  });

  it('tries the next address of a name when one does not answer', async () => {
    const server = await serveHttp(ok);
    const { resolve } = answersInTurn(['::1', '127.0.0.9', '127.0.0.1']);
    const result = await outbound({ resolve }).send({ url: `http://buyer.example:${server.port}/`, method: 'POST' });
    expect(result).toMatchObject({ kind: 'response', address: '127.0.0.1' });
  });

  it('puts on record what it refuses by host and rule, and nothing else of the URL', async () => {
    const events: unknown[] = [];
    const security: SecurityLog = {
      record: (kind, facts) => events.push({ kind, ...facts }),
      close: () => undefined,
    };
    const client = outbound({ security, resolve: answersInTurn(['8.8.8.8', '10.0.0.1']).resolve });
    await client.send({ url: 'https://buyer.example/secret?token=secret', method: 'POST' });
    await client.send({ url: 'https://user:secret@buyer.example/secret', method: 'POST' });
    expect(events).toEqual([
      { kind: 'address.refused', target: 'buyer.example', reason: 'private address: 10.0.0.1' },
      { kind: 'address.refused', reason: 'url has userinfo' },
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });
});
