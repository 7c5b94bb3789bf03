import { describe, expect, it } from 'vitest';
import { answersInTurn, outbound } from './support/client.ts';
import { selfSigned } from './support/certificate.ts';
import { serveHttp, serveHttps, serveTcp } from './support/servers.ts';

const ok = (_request: unknown, response: { end: (text: string) => void }): void => {
  response.end('ok');
};
const { resolve } = answersInTurn(['127.0.0.1']);

describe('TLS', () => {
  it('speaks to a receiver whose certificate it can verify, by name and by address', async () => {
    const identity = selfSigned({ dns: ['buyer.example'], ipv4: ['127.0.0.1'] });
    const server = await serveHttps(identity, ok);
    const client = outbound({ resolve, ca: identity.cert });
    const byName = await client.send({ url: `https://buyer.example:${server.port}/`, method: 'POST' });
    const byAddress = await client.send({ url: `https://127.0.0.1:${server.port}/`, method: 'POST' });
    const withDot = await client.send({ url: `https://buyer.example.:${server.port}/`, method: 'POST' });
    for (const result of [byName, byAddress, withDot]) {
      expect(result).toMatchObject({ kind: 'response', status: 200, address: '127.0.0.1', reused: false });
      expect(result.kind === 'response' && result.timings.tls_ms).toBeGreaterThan(0);
    }
  });

  it('resumes the session of a host it knows', async () => {
    const identity = selfSigned({ dns: ['buyer.example'] });
    const resumed: boolean[] = [];
    const server = await serveHttps(identity, (request, response) => {
      resumed.push((request.socket as unknown as { isSessionReused: () => boolean }).isSessionReused());
      response.writeHead(200, { connection: 'close' }).end('ok');
    });
    const client = outbound({ resolve, ca: identity.cert });
    for (let n = 0; n < 3; n++) await client.send({ url: `https://buyer.example:${server.port}/`, method: 'POST' });
    expect(resumed).toEqual([false, true, true]);
  });

  it('names the receiver it wants before the handshake (SNI), and no address', async () => {
    const identity = selfSigned({ dns: ['buyer.example'], ipv4: ['127.0.0.1'] });
    const names: unknown[] = [];
    const server = await serveHttps(identity, (request, response) => {
      names.push((request.socket as unknown as { servername: unknown }).servername);
      response.end('ok');
    });
    const client = outbound({ resolve, ca: identity.cert });
    await client.send({ url: `https://buyer.example:${server.port}/`, method: 'POST' });
    await client.send({ url: `https://127.0.0.1:${server.port}/`, method: 'POST' });
    expect(names).toEqual(['buyer.example', false]);
  });

  it.each([
    ['is signed by nobody it trusts', selfSigned({ dns: ['buyer.example'] }), false],
    ['is for another name', selfSigned({ dns: ['other.example'] }), true],
    ['is for an address, asked by name', selfSigned({ ipv4: ['127.0.0.1'] }), true],
    ['has expired', selfSigned({ dns: ['buyer.example'] }, { isExpired: true }), true],
  ])('[W16] sends nothing to a receiver whose certificate %s', async (_what, identity, isTrusted) => {
    let requests = 0;
    const server = await serveHttps(identity, (_request, response) => {
      requests++;
      response.end('ok');
    });
    const client = outbound({ resolve, ...(isTrusted && { ca: identity.cert }) });
    const result = await client.send({ url: `https://buyer.example:${server.port}/`, method: 'POST' });
    expect(result).toMatchObject({ kind: 'connection_error', reason: 'tls certificate invalid' });
    expect(requests).toBe(0);
  });

  it('[W16] checks certificates whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const server = await serveHttps(selfSigned({ dns: ['buyer.example'] }), ok);
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const sent = outbound({ resolve }).send({ url: `https://buyer.example:${server.port}/`, method: 'POST' });
      expect(await sent).toMatchObject({ kind: 'connection_error', reason: 'tls certificate invalid' });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('says that the handshake failed when the other side speaks plain HTTP or hangs up', async () => {
    const plain = await serveHttp(ok);
    const closing = await serveTcp((socket) => {
      socket.once('data', () => socket.end());
    });
    for (const { port } of [plain, closing]) {
      const result = await outbound({ resolve }).send({ url: `https://buyer.example:${port}/`, method: 'POST' });
      expect(result).toMatchObject({ kind: 'connection_error', reason: 'tls handshake failed' });
    }
  });
});
