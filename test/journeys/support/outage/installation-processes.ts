import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { startOwnRedis } from '../../../support/own-redis.ts';
import type { OwnRedis } from '../../../support/own-redis.ts';
import { dropStoreAt, freshDatabase } from '../../../support/mongo-databases.ts';
import type { StoreKind } from '../test-agent.ts';
import { bundle } from '../../../support/bundle.ts';
import { startChild } from '../child.ts';
import type { AgentAt } from '../buyer.ts';
import { AD_SERVER_TOKEN, startAdServer } from './ad-server-process.ts';
import type { AdServerProcess } from './ad-server-process.ts';
import { onMongodb } from '../../../support/mongo-settings.ts';

/** A server process of an installation, its ad server's, and what its workers are started with. */
export interface Installation extends AgentAt {
  adServer: AdServerProcess;
  workerEnv: Record<string, string>;
  /** Reads what the operator may see. */
  operate(path: string): Promise<Record<string, unknown>>;
  /** What `/readyz` says of the ad server. */
  adServerState(): Promise<{ state: 'open' | 'closed'; orders_waiting: number }>;
  /** Redis forgets everything. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export async function startInstallation(store: StoreKind): Promise<Installation> {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-outage-'));
    closers.push(() => rm(dataDir, { recursive: true, force: true }));
    const redis = await startOwnRedis();
    closers.push(() => redis.stop());
    const mongodb = store === 'mongodb' ? freshDatabase() : undefined;
    if (mongodb !== undefined) closers.push(() => dropStoreAt(mongodb));
    const adServer = await startAdServer(join(dataDir, 'ad-server'));
    closers.push(() => adServer.kill());
    const [apiKey, operatorKey] = [`mk_live_${secret()}`, `op_live_${secret()}`];
    const env = {
      ...{ PORT: '0', DATA_DIR: dataDir, REDIS_URL: redis.url, ALLOW_LOOPBACK: 'true' },
      LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
      ...{ BOOTSTRAP_API_KEY: apiKey, OPERATOR_API_KEY: operatorKey, CREATIVE_REVIEW_SECONDS: '0' },
      ...{ AD_SERVER: 'http', AD_SERVER_URL: adServer.url, AD_SERVER_TOKEN },
      ...onMongodb(mongodb),
    };
    const server = await startChild(await bundle('src/main/server.ts'), env, ['--json']);
    closers.push(() => server.kill('SIGKILL'));
    const baseUrl = String(server.ready['base_url']);
    const read = async (path: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${operatorKey}` } });
        const body = (await response.json()) as Record<string, unknown>;
        if (response.ok) return body;
        // As often as is let; whoever looks again and again is told to wait.
        if (response.status !== 429) throw new Error(`${path} is answered ${response.status}: ${JSON.stringify(body)}`);
        await delay(Number(response.headers.get('retry-after') ?? 1) * 1000);
      }
    };
    return {
      ...{ baseUrl, apiKey, adServer, workerEnv: { ...env, PUBLIC_URL: baseUrl } },
      operate: (path) => read(`/api/operator${path}`),
      async adServerState() {
        const { ad_servers } = await read('/readyz');
        const [state] = (ad_servers ?? []) as { state: 'open' | 'closed'; orders_waiting: number }[];
        return state ?? { state: 'closed', orders_waiting: 0 };
      },
      flush: () => flush(redis),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function secret(): string {
  return randomUUID().replaceAll('-', '') + randomUUID().replaceAll('-', '');
}

async function flush({ url }: OwnRedis): Promise<void> {
  const redis = new Redis(url.replace('unix://', ''));
  await redis.flushall();
  await redis.quit();
}
