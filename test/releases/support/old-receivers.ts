import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { readReceived } from '../../webhooks/support/received.ts';
import type { Received } from '../../webhooks/support/received.ts';

/** One webhook as it arrived, and when by the test's clock. */
export interface Arrival extends Received {
  atMs: number;
}

export interface OldReceivers {
  received: Arrival[];
  close(): Promise<void>;
}

/**
 * Opens every destination that is named by a URL, each at its own address, and takes all that comes. While another run of
 * the same test on this machine has an address, waits for it.
 */
export async function openOldReceivers(urls: readonly string[], now: () => number): Promise<OldReceivers> {
  const received: Arrival[] = [];
  const origins = [...new Set(urls.map((url) => new URL(url).origin))].sort();
  const servers: Server[] = [];
  for (const origin of origins) {
    const { hostname, port } = new URL(origin);
    const server = createServer((request, response) => {
      void readReceived(request).then((arrival) => {
        received.push({ ...arrival, atMs: now() });
        response.writeHead(204).end();
      });
    });
    servers.push(server);
    await listenWhenFree(server, Number(port), hostname);
  }
  return {
    received,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
}

/** Whether this machine lets a process listen at an address: on Linux all of 127.0.0.0/8, elsewhere what is configured. */
export async function canListenAt(hostname: string): Promise<boolean> {
  const server = createServer();
  server.listen(0, hostname);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

async function listenWhenFree(server: Server, port: number, hostname: string): Promise<void> {
  for (;;) {
    server.listen(port, hostname);
    try {
      await once(server, 'listening');
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      await delay(200);
    }
  }
}
