import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How long requests under way may finish when the server stops, in milliseconds. */
const GRACE_MS = 3_000;

export interface Listening {
  /** The address buyers would use, without a slash at the end. */
  url: string;
  /** Begins to answer; until then every request waits with 503. */
  answer(app: RequestListener): void;
  stop(): Promise<void>;
}

/**
 * Takes the port first, so that the URL is known before anything is built on it.
 * @throws {Error} in plain words when the port cannot be taken.
 */
export async function listen(host: string, port: number): Promise<Listening> {
  let app: RequestListener = (_request, response) => {
    response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' });
    response.end(JSON.stringify({ error: 'the agent is starting; try again in a second' }));
  };
  const server = createServer((request, response) => {
    app(request, response);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(
      `cannot listen on ${host}:${port} (${(error as NodeJS.ErrnoException).code ?? 'unknown'}); set PORT, 0 for a free one`,
      {
        cause: error,
      },
    );
  }
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${nameOf(host)}:${taken}`,
    answer(listener) {
      app = listener;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      const timer = setTimeout(() => {
        server.closeAllConnections();
      }, GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** How a listening address is written in a URL; "all addresses" is reached as this machine. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
