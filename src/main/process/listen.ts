import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { SAFE_HEADERS } from '../../platform/safe-headers.ts';

/** How long requests under way may finish when the server stops, in milliseconds. */
const GRACE_MS = 3_000;

export interface ListenOptions {
  /** Where the port is from, for who reads that it is taken. Default `PORT`. */
  setting?: string;
  /**
   * How long a request may take to come in, from its first byte to its last (rule S1). Answers, and so streams, take as long as
   * they take.
   */
  requestMs?: number;
  /** How long requests under way may take to finish when the server stops, in milliseconds. Default 3 s. */
  graceMs?: number;
}

export interface Listening {
  /** The address buyers would use, without a slash at the end. */
  url: string;
  /** Begins to answer; until then every request waits with 503. */
  answer(app: RequestListener): void;
  /** Answers still, and says with each answer that its connection is not kept, so that whoever comes again goes elsewhere. */
  drain(): void;
  /**
   * Takes no more connections, closes idle ones at once, lets requests under way finish for the time of grace, then cuts them off. Repeats wait
   * for the first.
   */
  stop(): Promise<void>;
}

/**
 * Takes the port first, so that the URL is known before anything is built on it.
 * @throws {Error} in plain words when the port cannot be taken.
 */
export async function listen(
  host: string,
  port: number,
  { setting = 'PORT', requestMs = INPUT_LIMITS.requestMs, graceMs = GRACE_MS }: ListenOptions = {},
): Promise<Listening> {
  let app: RequestListener = (_request, response) => {
    response.writeHead(503, {
      ...SAFE_HEADERS,
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
      'Retry-After': '1',
    });
    response.end(JSON.stringify({ error: 'the agent is starting; try again in a second' }));
  };
  const limits = {
    maxHeaderSize: INPUT_LIMITS.headBytes,
    requestTimeout: requestMs,
    headersTimeout: requestMs,
    keepAliveTimeout: INPUT_LIMITS.keepAliveMs,
    connectionsCheckingInterval: requestMs / 10,
  };
  let stopping: Promise<void> | undefined;
  let isDraining = false;
  const underWay = new Set<ServerResponse>();
  const server = createServer(limits, (request, response) => {
    response.shouldKeepAlive &&= !isDraining;
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      // What said that it would be kept, before it was known that it would not be.
      if (stopping !== undefined) server.closeIdleConnections();
    });
    app(request, response);
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(
      `cannot listen on ${host}:${port} (${(error as NodeJS.ErrnoException).code ?? 'unknown'}); set ${setting}, 0 for a free one`,
      {
        cause: error,
      },
    );
  }
  const { port: taken } = server.address() as AddressInfo;

  function drain(): void {
    isDraining = true;
    for (const response of underWay) response.shouldKeepAlive = false;
  }

  async function stop(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    drain();
    const timer = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(timer);
  }

  return {
    url: addressOf(host, taken),
    answer(listener) {
      app = listener;
    },
    drain,
    stop: () => (stopping ??= stop()),
  };
}

/** The URL of a listening address, without a slash at the end; "all addresses" is reached as this machine. */
export function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
