import { createServer } from 'node:net';
import type { Socket } from 'node:net';

export interface GrpcConnectionLimits {
  /** Connections at a time. */
  connections: number;
  /** How long one may stay on which nobody has been known, in milliseconds. */
  unknownMs: number;
}

/** Which connection: the far end's address and port. */
export interface Peer {
  remoteAddress?: string | undefined;
  remotePort?: number | undefined;
}

/** The connections of one listening port. */
export interface GrpcConnections {
  /** @throws {Error} when the port cannot be taken. */
  listen(host: string, port: number): Promise<number>;
  /** Somebody is known on this connection: it may stay. */
  know(peer: Peer): void;
  count(): number;
  /** Takes no more; those that stand go on. */
  stopListening(): void;
  destroyAll(): void;
}

/**
 * Takes connections and gives them to `serve`, up to a number. Nobody can keep others out by holding some: one on which no
 * credential has proved good is closed soon, and when all places are taken, the oldest such makes room.
 */
export function grpcConnections(
  serve: (socket: Socket) => void,
  { connections, unknownMs }: GrpcConnectionLimits,
): GrpcConnections {
  const open = new Map<string, Socket>();
  /** Of those, where nobody is known yet, the oldest first. */
  const unknown = new Map<string, NodeJS.Timeout>();

  function know(peer: Peer): void {
    const name = nameOf(peer);
    clearTimeout(unknown.get(name));
    unknown.delete(name);
  }

  function take(socket: Socket): void {
    const name = nameOf(socket);
    if (open.size >= connections) {
      const [oldest] = unknown.keys();
      if (oldest === undefined) {
        socket.destroy();
        return;
      }
      end(oldest);
    }
    open.set(name, socket);
    unknown.set(name, setTimeout(() => socket.destroy(), unknownMs).unref());
    socket.once('close', () => {
      if (open.get(name) === socket) forget(name);
    });
    serve(socket);
  }

  function end(name: string): void {
    const socket = open.get(name);
    forget(name);
    socket?.destroy();
  }

  function forget(name: string): void {
    clearTimeout(unknown.get(name));
    unknown.delete(name);
    open.delete(name);
  }

  const server = createServer({ noDelay: true }, take);
  return {
    know,
    count: () => open.size,
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    stopListening: () => void server.close(),
    destroyAll: () => {
      for (const socket of open.values()) socket.destroy();
    },
  };
}

function nameOf({ remoteAddress = '', remotePort = 0 }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
