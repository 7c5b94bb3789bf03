import { describe, expect, it } from 'vitest';
import { createResolve } from '../../../src/platform/outbound/resolve.ts';
import { until } from '../../support/until.ts';
import { outbound } from './support/client.ts';
import { absentNameServer, serveNames } from './support/name-server.ts';
import { serveHttp } from './support/servers.ts';

const ALL = { all: true } as const;

describe('looking up a name', () => {
  it('answers every address of both families', async () => {
    const server = await serveNames({
      'both.example': { a: ['8.8.8.8', '8.8.4.4'], aaaa: ['2606:4700:0:0:0:0:0:1'] },
      'six.example': { aaaa: ['2606:4700:0:0:0:0:0:2'] },
    });
    const resolve = createResolve({ servers: [server] });
    expect(await resolve('both.example', ALL)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '8.8.4.4', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ]);
    expect(await resolve('six.example', ALL)).toEqual([{ address: '2606:4700::2', family: 6 }]);
  });

  it('knows localhost and names below it without asking', async () => {
    const resolve = createResolve({ servers: [await serveNames({ localhost: { a: ['8.8.8.8'] } })] });
    const loopback = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    expect(await resolve('localhost', ALL)).toEqual(loopback);
    expect(await resolve('buyer.localhost', ALL)).toEqual(loopback);
  });

  it('[W11] tells a name that does not exist from a name server that fails', async () => {
    const servers = [await serveNames({ 'failing.example': 'failing' })];
    const system = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
    const client = outbound({ resolve: createResolve({ servers, system }) });
    const unknown = await client.send({ url: 'https://nowhere.example/', method: 'POST' });
    const failing = await client.send({ url: 'https://failing.example/', method: 'POST' });
    expect(unknown).toMatchObject({ kind: 'connection_error', reason: 'dns name not found' });
    expect(failing).toMatchObject({ kind: 'connection_error', reason: 'dns lookup failed' });
  });

  it('asks the system for a name that the name servers do not know, and when none is there', async () => {
    const local = [{ address: '127.0.0.1', family: 4 }];
    const asked: string[] = [];
    const system = (hostname: string) => {
      asked.push(hostname);
      return Promise.resolve(local);
    };
    const knowing = createResolve({ servers: [await serveNames({ 'known.example': { a: ['8.8.8.8'] } })], system });
    const alone = createResolve({ servers: [await absentNameServer()], system });
    expect(await knowing('known.example', ALL)).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(await knowing('hosts-file.example', ALL)).toEqual(local);
    expect(await alone('known.example', ALL)).toEqual(local);
    expect(asked).toEqual(['hosts-file.example', 'known.example']);
  });

  it('[W8] holds up nobody else while a name server stays silent', async () => {
    const zone = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`dead-${n}.example`, 'silent'] as const));
    const servers = [await serveNames({ ...zone, 'alive.example': { a: ['127.0.0.1'] } })];
    const server = await serveHttp((_request, response) => response.end('ok'));
    const client = outbound({ resolve: createResolve({ servers }) });
    const inOrder = async (connectTimeoutMs: number): Promise<string[]> => {
      const ended: string[] = [];
      const send = async (url: string): Promise<void> => {
        const { kind } = await client.send({ url, method: 'POST', connectTimeoutMs });
        ended.push(kind);
      };
      await Promise.all([
        ...Object.keys(zone).map((name) => send(`https://${name}/`)),
        send(`http://alive.example:${server.port}/`),
      ]);
      return ended;
    };
    // Where this process stands still for that long, all of them are late; a name server that held others up would do so again.
    const all = ['response', ...Array<string>(50).fill('timeout')];
    await until(async () => (await inOrder(1_000)).join() === all.join());
  });
});
