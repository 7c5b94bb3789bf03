import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Stands before a server, and can make it look as if it hung: connections are taken and nothing is ever answered. */
export interface SwallowingProxy {
  port: number;
  /** From now on whatever comes from either side is swallowed, on connections that stand and on new ones. */
  swallow(): void;
  /** Breaks the connections that were swallowed; new ones pass. */
  restore(): void;
  close(): Promise<void>;
}

/** @param path the server's unix socket */
export async function startSwallowingProxy(path: string): Promise<SwallowingProxy> {
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    const upstream = createConnection({ path });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on('data', (data) => {
        if (!isSwallowing) to.write(data);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    swallow() {
      isSwallowing = true;
    },
    restore() {
      isSwallowing = false;
      breakAll();
    },
    async close() {
      server.close();
      breakAll();
      await once(server, 'close');
    },
  };
}
