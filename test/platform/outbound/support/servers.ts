import { createServer as createHttpServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../support/free-port.ts';

/** A server on loopback, closed after the test with all its connections. */
export interface TestServer {
  port: number;
  /** `http://127.0.0.1:PORT`, or `https://…` for a TLS server. */
  origin: string;
  /** Connections accepted so far. */
  connections: () => number;
  /** Connections open now. */
  open: () => number;
}

/** Speaks HTTP/1.1. Each answer closes nothing: connections are kept alive. */
export function serveHttp(handler: RequestListener, host = '127.0.0.1'): Promise<TestServer> {
  return started(createHttpServer({ keepAliveTimeout: 60_000 }, handler), 'http', host);
}

/** Speaks HTTP/1.1 over TLS. */
export function serveHttps(identity: { key: string; cert: string }, handler: RequestListener): Promise<TestServer> {
  return started(createHttpsServer({ keepAliveTimeout: 60_000, ...identity }, handler), 'https', '127.0.0.1');
}

/** Hands over each raw connection. Its errors are ignored. */
export function serveTcp(onConnection: (socket: Socket) => void): Promise<TestServer> {
  return started(createServer(onConnection), 'http', '127.0.0.1');
}

/** A port of loopback that nobody listens on. */
export const closedPort = freePort;

/** Answers the first bytes of each connection with these. */
export function answering(bytes: string): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => {
      socket.write(bytes);
    });
  };
}

/** Writes `bytes` again every few milliseconds for as long as the connection is open. */
export function drip(socket: Socket, bytes: string): void {
  const dripping = setInterval(() => {
    socket.write(bytes);
  }, 5);
  socket.on('close', () => {
    clearInterval(dripping);
  });
}

async function started(server: Server, scheme: string, host: string): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { port, origin: `${scheme}://${host}:${port}`, connections: () => connections, open: () => sockets.size };
}
