import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { outbound } from './support/client.ts';
import { serveTcp } from './support/servers.ts';

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';

/** Answers each request of a connection by these writes, one after the other. */
function answeringEach(writes: readonly string[]): (socket: Socket) => void {
  return (socket) => {
    socket.setNoDelay(true);
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString();
      if (!seen.endsWith('{}')) return;
      seen = '';
      void (async () => {
        for (const write of writes) {
          await new Promise((resolve) => socket.write(write, resolve));
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
    });
  };
}

describe('a receiver that sends 100 Continue unasked', () => {
  const post = (client: ReturnType<typeof outbound>, origin: string) =>
    client.send({ url: origin, method: 'POST', body: '{}' });

  it.each<[string, string[]]>([
    ['in one piece with its response', [CONTINUE + OK]],
    ['before its response', [CONTINUE, OK]],
    ['with headers, twice', ['HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n', CONTINUE, OK]],
    ['byte by byte', [...Array.from(CONTINUE), ...Array.from(OK)]],
    ['in the words of HTTP/1.0', ['HTTP/1.0 100 Continue\r\n\r\n', OK]],
  ])('is heard from the second request on, %s', async (_how, writes) => {
    const server = await serveTcp(answeringEach(writes));
    const client = outbound();
    expect(await post(client, server.origin)).toMatchObject({
      kind: 'connection_error',
      reason: 'response is not valid http',
    });
    for (const reused of [false, true, true]) {
      const result = await post(client, server.origin);
      expect(result).toMatchObject({ kind: 'response', status: 200, reused });
      expect(result.kind === 'response' && result.body.toString()).toBe('{}');
    }
    expect(server.connections()).toBe(2);
  });

  it('is heard to the end, also where its connection ends with the response', async () => {
    const body = 'x'.repeat(200_000);
    const server = await serveTcp((socket) => {
      socket.once('data', () => socket.end(`${CONTINUE}HTTP/1.1 200 OK\r\n\r\n${body}`));
    });
    const client = outbound();
    await post(client, server.origin);
    const result = await client.send({ url: server.origin, method: 'POST', body: '{}', maxResponseBytes: 1_000_000 });
    const hash = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(result.kind === 'response' && hash(result.body)).toBe(hash(body));
  });

  it.each([
    ['nothing else', [CONTINUE.repeat(50)], 'response is not valid http'],
    ['one that never ends', [`HTTP/1.1 100 Continue\r\nX: ${'y'.repeat(40_000)}`], 'response is not valid http'],
  ])('and %s is refused as before', async (_what, writes, reason) => {
    const server = await serveTcp(answeringEach(writes));
    const client = outbound();
    for (let n = 0; n < 2; n++) {
      const result = await client.send({ url: server.origin, method: 'POST', body: '{}', totalTimeoutMs: 20_000 });
      expect(result).toMatchObject({ kind: 'connection_error' });
      if (n === 1 && result.kind === 'connection_error') {
        expect([reason, 'response headers too large']).toContain(result.reason);
      }
    }
  });
});
