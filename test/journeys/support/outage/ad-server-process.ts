import { once } from 'node:events';
import { createServer } from 'node:http';
import { AdOrder } from '../../../../src/sales/ad-server/ad-order.ts';
import { SimulatorCalls } from '../../../../src/adservers/simulator/controls.ts';
import type { SimulatorControl } from '../../../../src/adservers/simulator/controls.ts';
import { Held } from '../../../../src/sales/ad-server/held.ts';
import { bundle } from '../../../support/bundle.ts';
import { startChild } from '../child.ts';
import type { Child } from '../child.ts';

export const AD_SERVER_TOKEN = 'outage-token_0123456789+/=';

/** The simulated ad server as a process of its own, which can be killed and started again where it was. */
export interface AdServerProcess {
  url: string;
  /** `kill -9`. Its orders are kept. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** What it was asked since it started. */
  calls(): Promise<SimulatorCalls>;
  control(control: SimulatorControl): Promise<void>;
  read(media_buy_id: string): Promise<Held>;
  /** Puts an order as the agent would. Answers the HTTP status. */
  put(order: AdOrder): Promise<number>;
}

export async function startAdServer(dataDir: string): Promise<AdServerProcess> {
  const program = await bundle('src/main/ad-server.ts');
  const env = { AD_SERVER_TOKEN, DATA_DIR: dataDir, LOG_LEVEL: 'warn' };
  const launchAt = (port: string) => startChild(program, { ...env, AD_SERVER_PORT: port }, ['--json']);
  let running: Child = await launchAt('0');
  const url = String(running.ready['url']);

  async function call(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${AD_SERVER_TOKEN}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  return {
    url,
    async kill() {
      await running.kill('SIGKILL');
    },
    async start() {
      running = await launchAt(new URL(url).port);
    },
    async calls() {
      return SimulatorCalls.parse(await (await call('GET', '/_control/calls')).json());
    },
    async control(control) {
      const { status } = await call('POST', '/_control', control);
      if (status !== 200) throw new Error(`the control was answered ${status}`);
    },
    async read(media_buy_id) {
      return Held.parse(await (await call('GET', `/v1/orders/${media_buy_id}`)).json());
    },
    async put(order) {
      return (await call('PUT', `/v1/orders/${order.media_buy_id}`, AdOrder.parse(order))).status;
    },
  };
}

/** What stands where an ad server was: answers 503 to everything, and notes what it was asked. */
export interface Ruin {
  asked: string[];
  close(): Promise<void>;
}

export async function openRuin(url: string): Promise<Ruin> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
    response.writeHead(503).end();
  });
  server.listen(Number(new URL(url).port), '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
