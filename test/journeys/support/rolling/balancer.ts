import { once } from 'node:events';
import { Agent, createServer, get, request as ask } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../../support/until.ts';

/** How often each server is asked whether it is ready, in milliseconds. */
const LOOK_EVERY_MS = 50;

/**
 * What stands in front of several servers: gives each request to the next one that says at `/readyz` that it is ready, keeps connections
 * to it, and never sends a request twice.
 */
export interface Balancer {
  url: string;
  /** Requests that came to no answer of a server's though their client waited, and why. */
  failed: string[];
  /** How many requests each server was given, by its address. */
  given: Map<string, number>;
  /** Resolves once requests go there. */
  add(serverUrl: string): Promise<void>;
  /** Resolves once `/readyz` there says that it drains and no request goes there any more. */
  drained(serverUrl: string): Promise<void>;
  close(): Promise<void>;
}

interface Behind {
  url: string;
  agent: Agent;
  isReady: boolean;
  isDraining: boolean;
}

export async function openBalancer(): Promise<Balancer> {
  const behind: Behind[] = [];
  const failed: string[] = [];
  const given = new Map<string, number>();
  const closing = new AbortController();
  const looks: Promise<void>[] = [];
  let turn = 0;

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const ready = behind.filter(({ isReady }) => isReady);
    const to = ready[turn++ % ready.length];
    let isGivenUp = false;
    const fail = (error: unknown) => {
      if (response.writableEnded || isGivenUp) return;
      failed.push(`${request.method ?? ''} ${request.url ?? ''} at ${to?.url ?? 'nobody'}: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    };
    if (to === undefined) {
      fail('no server is ready');
      return;
    }
    given.set(to.url, (given.get(to.url) ?? 0) + 1);
    const { method, headers, url = '' } = request;
    const onward = ask(new URL(url, to.url), { method, headers, agent: to.agent }, (answer) => {
      const { connection: _ofThisHop, 'keep-alive': _too, ...told } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, told);
      response.flushHeaders();
      answer.once('error', fail);
      answer.pipe(response);
    });
    onward.once('error', fail);
    response.once('close', () => {
      isGivenUp = !response.writableFinished;
      if (isGivenUp) onward.destroy();
    });
    request.pipe(onward);
  }

  async function look(one: Behind): Promise<void> {
    while (!closing.signal.aborted) {
      const { status, body } = await readiness(one.url);
      one.isReady = status === 200;
      one.isDraining ||= status === 503 && body.includes('draining');
      await delay(LOOK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const server = createServer(pass).listen(0, '127.0.0.1');
  // No connection is closed under a request that is on its way.
  server.keepAliveTimeout = 0;
  await once(server, 'listening');
  const of = (url: string) => behind.find((one) => one.url === url);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failed,
    given,
    async add(url) {
      const one = { url, agent: new Agent({ keepAlive: true }), isReady: false, isDraining: false };
      behind.push(one);
      looks.push(look(one));
      await until(() => one.isReady);
    },
    async drained(url) {
      await until(() => of(url)?.isDraining);
    },
    async close() {
      closing.abort();
      await Promise.all(looks);
      for (const { agent } of behind) agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What `/readyz` says there, on a connection of its own. */
function readiness(url: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const asked = get(`${url}/readyz`, { agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.once('close', () => {
        resolve({ status: answer.statusCode ?? 0, body });
      });
    });
    asked.once('error', () => {
      resolve({ status: 0, body: '' });
    });
  });
}
