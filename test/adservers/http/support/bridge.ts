import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createHttpAdServer } from '../../../../src/adservers/http/http-ad-server.ts';
import type { HttpAdServerOptions } from '../../../../src/adservers/http/http-ad-server.ts';
import { createAdServerRouter } from '../../../../src/adservers/http/bridge-router.ts';
import type { AdServerRouterOptions } from '../../../../src/adservers/http/bridge-router.ts';
import { createOutbound } from '../../../../src/platform/outbound/outbound-client.ts';
import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';

export const TOKEN = 'bridge-token_0123456789+/=';

/** A client of the bridge at `url`, closed after the test. */
export function clientAt(url: string, options: Partial<HttpAdServerOptions> = {}): Required<AdServer> {
  const outbound = createOutbound({ allowLoopback: false, trustsUrls: true });
  onTestFinished(() => outbound.close());
  return createHttpAdServer({ url, token: TOKEN, outbound, ...options });
}

/** An ad server behind the bridge, over real HTTP on loopback; closed after the test. Answers where it is. */
export function serveBridge(adServer: AdServer, options: Partial<AdServerRouterOptions> = {}): Promise<string> {
  return serveApp(express().use(createAdServerRouter(adServer, { token: TOKEN, log: silent, ...options })));
}

export const silent = pino({ level: 'silent' });

/** Serves on loopback until the test is over. Answers where. */
export async function serveApp(app: RequestListener): Promise<string> {
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
