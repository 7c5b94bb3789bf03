import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { agentClient, responseOf } from '../src/main/demo/agent-client.ts';
import { BRAND, campaign, Offers } from '../src/main/demo/campaign.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { ownMetrics } from './own-metrics.ts';
import { startPostgres } from './postgres.ts';

/** One of those that tell the same story. */
export interface StorySide {
  name: string;
  /** Asks for a buy that is told to this URL; answers the id its webhooks carry. */
  ask: (webhookUrl: string) => Promise<string>;
  /** Roots of all its processes, with those of its database and queue. */
  pids: readonly number[];
  /** Commands and scripts that its Redis has done; undefined where it has none. */
  redisCalls: () => Promise<{ commands: number; scripts: number } | undefined>;
  /** The longest that its process was held up since the last look, in milliseconds; NaN where nobody tells. */
  stallMs: () => Promise<number>;
  /** Calls to its store so far; NaN where nobody tells. */
  storeCalls: () => Promise<number>;
  stop: () => Promise<void>;
}

const untold = { stallMs: () => Promise.resolve(NaN), storeCalls: () => Promise.resolve(NaN) };

/** Says why a side cannot be measured here. */
export class MissingPeerError extends Error {}

const PEERS = fileURLToPath(new URL('./peers', import.meta.url));
export const LAUNCHER = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url));

/** A database of this bench's own at the MongoDB that `MONGODB_TEST_URL` names; undefined where it names none. */
export function databaseOf(bench: string): string | undefined {
  const { MONGODB_TEST_URL } = process.env;
  if (MONGODB_TEST_URL === undefined) return undefined;
  const at = new URL(MONGODB_TEST_URL);
  at.pathname = `/bench_${bench}_${process.pid}`;
  return at.href;
}

/** What an installation on MongoDB seals its secrets with. */
export function secretKey(): string {
  return randomBytes(32).toString('base64');
}

/** This agent as `npm start` runs it, or, with a MongoDB, on that. */
export async function startOurs(name: string, settings: Record<string, string> = {}): Promise<StorySide> {
  const { dir, redis, forget } = await openPlace();
  const own = {
    HOST: '',
    PORT: '0',
    PUBLIC_URL: '',
    MONGODB_URL: '',
    REDIS_URL: redis.url,
    DATA_DIR: join(dir, 'data'),
    METRICS_PORT: '0',
    ...(settings['MONGODB_URL'] !== undefined && { SECRET_KEY: secretKey() }),
  };
  const child = spawn(process.execPath, [LAUNCHER, 'start', '--json'], {
    env: { ...process.env, ...own, LOG_LEVEL: 'warn', ALLOW_LOOPBACK: 'true', NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { base_url, api_key, metrics_url } = await firstLine<Ready>(child);
  const client = agentClient(base_url, api_key);
  const offers = Offers.parse(responseOf(await client.send('get_products', { brief: 'ctv and display' })));
  return {
    name,
    pids: [child.pid ?? 0, redis.pid],
    redisCalls: redis.calls,
    ...ownMetrics([metrics_url]),
    async ask(url) {
      const push_notification_config = { url, operation_id: randomUUID() };
      const input = { ...campaign(offers, Date.now()), push_notification_config };
      return (await client.send('create_media_buy', input, { returnImmediately: true })).id;
    },
    async stop() {
      await ended(child);
      await forget();
    },
  };
}

interface Ready {
  base_url: string;
  api_key: string;
  metrics_url: string;
}

/** A peer on Redis alone. */
export async function startOnRedis(name: string, file: string): Promise<StorySide> {
  const { redis, forget } = await openPlace();
  const child = spawnPeer(file, redis.url.replace('unix://', ''));
  const { base_url } = await firstLine<{ base_url: string }>(child);
  return {
    ...{ name, ask: askPeer(base_url), pids: [child.pid ?? 0, redis.pid], redisCalls: redis.calls, ...untold },
    async stop() {
      await ended(child);
      await forget();
    },
  };
}

/** A peer that starts all it needs. @throws {MissingPeerError} where the package is not installed. */
export async function startAlone(name: string, file: string, dependency: string): Promise<StorySide> {
  requirePeer(dependency);
  const child = spawnPeer(file);
  const { base_url } = await firstLine<{ base_url: string }>(child);
  return {
    ...{
      name,
      ask: askPeer(base_url),
      pids: [child.pid ?? 0],
      redisCalls: () => Promise.resolve(undefined),
      ...untold,
    },
    stop: () => ended(child),
  };
}

/** A peer on PostgreSQL. @throws {MissingPeerError} where that, or the package, is not installed. */
export async function startOnPostgres(name: string, file: string, dependency: string): Promise<StorySide> {
  requirePeer(dependency);
  const postgres = await startPostgres();
  if (postgres === undefined) throw new MissingPeerError("PostgreSQL is not installed: Debian's package postgresql");
  const child = spawnPeer(file, postgres.url);
  const { base_url } = await firstLine<{ base_url: string }>(child);
  return {
    ...{
      name,
      ask: askPeer(base_url),
      pids: [child.pid ?? 0, postgres.pid],
      redisCalls: () => Promise.resolve(undefined),
      ...untold,
    },
    async stop() {
      await ended(child);
      await postgres.stop();
    },
  };
}

function requirePeer(dependency: string): void {
  if (!existsSync(join(PEERS, 'node_modules', dependency)))
    throw new MissingPeerError(`${dependency} is not installed: npm ci --prefix bench/peers`);
}

function spawnPeer(file: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', join(PEERS, file), ...args], {
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

export async function firstLine<T>(child: ChildProcess): Promise<T> {
  if (child.stdout === null) throw new Error('a side has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{')) continue;
    child.stdout.resume();
    return JSON.parse(line) as T;
  }
  throw new Error('a side ended before it was ready');
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** The peers take what the agent takes, with an id that they need not make. */
function askPeer(base_url: string): StorySide['ask'] {
  return async (url) => {
    const id = randomUUID();
    const body = JSON.stringify({
      ...PEERS_BUY,
      end_time: new Date(Date.now() + 42 * 86_400_000).toISOString(),
      id,
      url,
    });
    const response = await fetch(base_url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    if (!response.ok) throw new Error(`a peer answered ${response.status}: ${await response.text()}`);
    await response.json();
    return id;
  };
}

const PEERS_BUY = {
  buyer_ref: 'northfell-trail-launch',
  brand_manifest: BRAND,
  packages: [45_000, 30_000, 18_000].map((budget, i) => ({
    ...{ buyer_ref: `line-${i}`, product_id: `product-${i}`, pricing_option_id: 'cpm-usd', budget },
  })),
  start_time: { type: 'asap' },
};

/** A folder and a Redis of its own. */
export async function openPlace() {
  const dir = await mkdtemp(join(tmpdir(), 'mba-bench-stories-'));
  const redis = await usePrivateRedis({ dataDir: dir, logger: createLogger('fatal') });
  const { url } = redis;
  const connection = new Redis(url.replace('unix://', ''));
  const pid = Number(/process_id:(\d+)/.exec(await connection.info('server'))?.[1]);
  return {
    dir,
    redis: {
      ...{ url, pid },
      calls: async () => {
        const stats = await connection.info('commandstats');
        let [commands, scripts] = [0, 0];
        for (const [, name = '', calls] of stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)) {
          commands += Number(calls);
          if (/^(eval|evalsha|fcall)$/.test(name)) scripts += Number(calls);
        }
        return { commands, scripts };
      },
    },
    forget: async () => {
      connection.disconnect();
      await redis.release();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
