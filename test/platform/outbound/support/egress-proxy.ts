import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { readProxy } from '../../../../src/platform/outbound/proxy.ts';
import type { Proxy } from '../../../../src/platform/outbound/proxy.ts';

/** An egress proxy on loopback that answers CONNECT; closed after the test with all its connections. */
export interface EgressProxy {
  /** How clients are told of it, with these credentials. */
  proxy(changes?: Partial<Proxy>, credentials?: string): Proxy;
  /** What was asked for, in order. */
  asked: { authority: string; authorization: string | undefined }[];
  /** What it answers; undefined: it connects. Bytes instead of a status are written as they are, `null` writes nothing. */
  refuses: (authority: string) => number | string | null | undefined;
}

/** Whatever it is asked for, it connects to this port of loopback. */
export async function serveProxy(port: number, identity?: { key: string; cert: string }): Promise<EgressProxy> {
  const server = identity === undefined ? createServer() : createTlsServer(identity);
  const sockets = new Set<Socket>();
  const kept = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  server.on('connection', kept);
  server.on('connect', (request, client: Socket) => {
    const authority = request.url ?? '';
    opened.asked.push({ authority, authorization: request.headers['proxy-authorization'] });
    const refusal = opened.refuses(authority);
    if (refusal === null) return;
    if (typeof refusal === 'number') client.end(`HTTP/1.1 ${refusal} No\r\nContent-Length: 2\r\n\r\nno`);
    else if (refusal !== undefined) client.end(refusal);
    else {
      const target = kept(connect(port, '127.0.0.1'));
      client.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n');
      target.pipe(client).pipe(target);
      client.on('close', () => target.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const scheme = identity === undefined ? 'http' : 'https';
  const opened: EgressProxy = {
    asked: [],
    refuses: () => undefined,
    proxy(changes = {}, credentials = '') {
      const read = readProxy(`${scheme}://${credentials}127.0.0.1:${(server.address() as AddressInfo).port}`);
      if (read === undefined) throw new Error('a proxy that cannot be read');
      return { ...read, resolvesNames: false, ...changes };
    },
  };
  return opened;
}
