import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Stands between a client and a MongoDB server, and fails in ways a network does. */
export interface TcpProxy {
  /** The URL, by way of the proxy. */
  url: string;
  /** Breaks every connection and refuses new ones until {@link restore}. */
  cut(): Promise<void>;
  restore(): Promise<void>;
  /**
   * Lets the next command of this name through, and breaks the connection instead of giving its answer back: after
   * `meanwhile`, which runs once the server has answered. Resolves when that has happened.
   */
  loseAnswerTo(command: 'insert' | 'update' | 'delete', meanwhile?: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

interface Loss {
  mark: string;
  meanwhile: () => Promise<unknown>;
  done: () => void;
}

export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const direct = new URL(url);
  const sockets = new Set<Socket>();
  let loss: Loss | undefined;
  let server: Server | undefined;

  function connect(client: Socket): void {
    const upstream = createConnection(Number(direct.port), direct.hostname);
    const both = [client, upstream];
    let own: Loss | undefined;
    for (const socket of both) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        for (const each of both) each.destroy();
      });
    }
    client.on('data', (data) => {
      if (loss && data.includes(loss.mark)) [own, loss] = [loss, undefined];
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (!own) client.write(data);
      else void lose(own, client);
    });
  }

  async function lose({ meanwhile, done }: Loss, client: Socket): Promise<void> {
    await meanwhile();
    client.destroy();
    done();
  }

  async function listen(port: number): Promise<number> {
    server = createServer(connect).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    const closed = server && once(server, 'close');
    server?.close();
    for (const socket of sockets) socket.destroy();
    await closed;
    server = undefined;
  }

  const port = await listen(0);
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String(port);
  proxied.searchParams.set('directConnection', 'true');
  return {
    url: proxied.href,
    cut,
    restore: async () => {
      await listen(port);
    },
    // A BSON command begins with its own name: a string element (type 2).
    loseAnswerTo: (command, meanwhile = () => Promise.resolve()) =>
      new Promise((done) => {
        loss = { mark: `\u0002${command}\u0000`, meanwhile, done };
      }),
    close: cut,
  };
}
