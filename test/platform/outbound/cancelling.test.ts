import { describe, expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { outbound } from './support/client.ts';
import { serveHttp, serveTcp } from './support/servers.ts';

const REASON = new Error('the process must stop now');

describe('cancelling', () => {
  it('throws at once when the signal has aborted before, and sends nothing', async () => {
    const server = await serveTcp(() => undefined);
    const sent = outbound().send({ url: server.origin, method: 'POST', signal: AbortSignal.abort(REASON) });
    await expect(sent).rejects.toBe(REASON);
    expect(server.connections()).toBe(0);
  });

  it('throws the reason while a name is looked up', async () => {
    const cancel = new AbortController();
    const resolve = (): Promise<never> => {
      cancel.abort(REASON);
      return new Promise(() => undefined);
    };
    const sent = outbound({ resolve }).send({ url: 'https://buyer.example', method: 'POST', signal: cancel.signal });
    await expect(sent).rejects.toBe(REASON);
  });

  it('throws the reason during a TLS handshake, and closes the connection', async () => {
    const cancel = new AbortController();
    const server = await serveTcp((socket) => {
      socket.once('data', () => {
        cancel.abort(REASON);
      });
    });
    const url = `https://127.0.0.1:${server.port}/`;
    await expect(outbound().send({ url, method: 'POST', signal: cancel.signal })).rejects.toBe(REASON);
    await until(() => server.open() === 0);
  });

  it('throws the reason while a response is awaited, and closes the connection', async () => {
    const cancel = new AbortController();
    const server = await serveHttp(() => {
      cancel.abort(REASON);
    });
    const sent = outbound().send({ url: server.origin, method: 'POST', body: '{}', signal: cancel.signal });
    await expect(sent).rejects.toBe(REASON);
    await until(() => server.open() === 0);
  });

  it('throws the reason while a body is read, and closes the connection', async () => {
    const cancel = new AbortController();
    const server = await serveHttp((_request, response) => {
      response.write('a');
      setImmediate(() => {
        cancel.abort(REASON);
      });
    });
    const sent = outbound().send({ url: server.origin, method: 'POST', signal: cancel.signal });
    await expect(sent).rejects.toBe(REASON);
    await until(() => server.open() === 0);
  });

  it('takes a request out of the queue for a connection, and leaves the one on it alone', async () => {
    const held: (() => void)[] = [];
    const server = await serveHttp((_request, response) => {
      held.push(() => response.end('ok'));
    });
    const client = outbound({ maxConnectionsPerOrigin: 1 });
    const cancel = new AbortController();
    const first = client.send({ url: server.origin, method: 'POST' });
    const second = client.send({ url: server.origin, method: 'POST', signal: cancel.signal });
    cancel.abort(REASON);
    await expect(second).rejects.toBe(REASON);
    await until(() => held.length === 1);
    held[0]?.();
    expect(await first).toMatchObject({ kind: 'response', status: 200 });
    expect(held).toHaveLength(1);
  });

  it('leaves the signal alone once it has answered', async () => {
    const server = await serveHttp((_request, response) => response.end('ok'));
    const cancel = new AbortController();
    const client = outbound();
    const sent = await client.send({ url: server.origin, method: 'POST', signal: cancel.signal });
    cancel.abort(REASON);
    expect(sent).toMatchObject({ kind: 'response' });
    expect(await client.send({ url: server.origin, method: 'POST' })).toMatchObject({ reused: true });
  });

  it('ends all that is under way when closed, closes every connection, and sends nothing more', async () => {
    const server = await serveTcp((socket) => socket.resume());
    const kept = await serveHttp((_request, response) => response.end('ok'));
    const client = outbound({ maxConnectionsPerOrigin: 2 });
    await client.send({ url: kept.origin, method: 'POST' });
    const sent = Promise.allSettled([1, 2, 3].map(() => client.send({ url: server.origin, method: 'POST' })));
    await until(() => server.connections() === 2);
    await client.close();
    for (const { status } of await sent) expect(status).toBe('rejected');
    await until(() => server.open() === 0 && kept.open() === 0);
    await expect(client.send({ url: kept.origin, method: 'POST' })).rejects.toThrow('the outbound client is closed');
    await client.close();
  });

  it('ends what is still being connected when closed', async () => {
    const client = outbound({ resolve: () => new Promise(() => undefined) });
    const sent = Promise.allSettled([client.send({ url: 'https://buyer.example', method: 'POST' })]);
    await client.close();
    expect(await sent).toMatchObject([{ status: 'rejected', reason: { message: 'the outbound client is closed' } }]);
  });
});
