import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { apiKeys, createApiKey } from '../src/directory/api-key/api-key.ts';
import { ensureDemoOrganization } from '../src/directory/bootstrap.ts';
import { readConfig } from '../src/main/config/config.ts';
import { startServer } from '../src/main/wiring/start-server.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { median } from './figures.ts';
import { worstInputs } from './intake-inputs.ts';
import type { WorstInput } from './intake-inputs.ts';

const TIMES = 9;
/** Promised for every one of them, in milliseconds. */
const LIMIT_MS = 50;

/**
 * Sends a whole server, in this process, the worst that each limit lets through and the least that it does not, from a thread of
 * its own, and prints for how long the event loop stood still: the median and the longest of several times.
 */
export async function benchIntake(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mba-bench-intake-'));
  const log = createLogger('error');
  const redis = await usePrivateRedis({ dataDir, logger: log });
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'silent',
    TRUST_PROXY: '1',
    ALLOW_LOOPBACK: 'true',
  };
  const config = readConfig({ ...env, GRPC_PORT: String(await freePort()) }, { allowLoopback: true });
  const server = await startServer(config, createLogger(config.logLevel));
  const client = new Worker(CLIENT, { eval: true });
  try {
    const { core } = server;
    const { organization_id } = await ensureDemoOrganization(core);
    const { raw } = await createApiKey(
      { ...core, keys: core.store.collection(apiKeys) },
      { organization_id, name: 'bench' },
    );
    const at = { baseUrl: core.baseUrl, grpc: `127.0.0.1:${config.grpcPort ?? 0}` };
    for (const input of worstInputs()) await measure(client, at, raw, input);
  } finally {
    await client.terminate();
    await server.stop();
    await redis.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Addresses {
  baseUrl: string;
  grpc: string;
}

async function measure(client: Worker, at: Addresses, key: string, input: WorstInput): Promise<void> {
  const { what, path, body, headers, isGrpc } = input;
  const stalls: number[] = [];
  let answered = '';
  for (let i = -3; i < TIMES; i++) {
    // From another address each time: limits are counted, and never reached.
    const from = { 'x-forwarded-for': `10.1.${randomInt(250)}.${randomInt(250)}` };
    const all = { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...from, ...headers };
    client.postMessage({
      ...(isGrpc ? { grpc: at.grpc, path } : { url: at.baseUrl + path }),
      headers: all,
      body: body(),
    });
    const watched = watchLoop();
    [answered] = (await once(client, 'message')) as [string];
    const longest = watched.stop();
    if (i >= 0) stalls.push(longest);
  }
  const p50 = median(stalls);
  const verdict = p50 <= LIMIT_MS ? 'within' : 'OVER';
  console.log(
    `${what.padEnd(64)} p50 ${p50.toFixed(1).padStart(6)} ms longest ${Math.max(...stalls)
      .toFixed(1)
      .padStart(6)} ms  ${verdict} ${LIMIT_MS} ms  ${answered}`,
  );
}

/**
 * Looks at the clock in every turn of the loop; answers the longest time between two looks, without what the machine gave to others
 * meanwhile, where it says so.
 */
function watchLoop(): { stop(): number } {
  let longest = 0;
  let isOver = false;
  let last = { now: performance.now(), waited: waitedMs() };
  const look = () => {
    const next = { now: performance.now(), waited: waitedMs() };
    longest = Math.max(longest, next.now - last.now - (next.waited - last.waited));
    last = next;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return {
    stop() {
      look();
      isOver = true;
      return longest;
    },
  };
}

/** For how long the main thread was ready and had to wait, in milliseconds; 0 where the system does not tell. */
function waitedMs(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** A port that nobody has, for a moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Sends what it is told, and answers by the status and the beginning of what came. */
const CLIENT = `
  const { parentPort } = require('node:worker_threads');
  const { credentials, Client, Metadata } = require('@grpc/grpc-js');
  let grpcClient;
  parentPort.on('message', async ({ url, grpc, path, headers, body }) => {
    if (grpc !== undefined) {
      grpcClient ??= new Client(grpc, credentials.createInsecure());
      const metadata = new Metadata();
      metadata.set('authorization', headers.authorization);
      const bytes = (sent) => Buffer.from(sent);
      grpcClient.makeUnaryRequest(path, bytes, bytes, body, metadata, (error, answer) => {
        parentPort.postMessage(error === null ? '0 ' + answer.length : error.code + ' ' + error.details.slice(0, 70));
      });
      return;
    }
    const response = await fetch(url, { method: 'POST', headers, body });
    const text = await response.text();
    parentPort.postMessage(response.status + ' ' + text.length + ' ' + (/"message": ?"([^"]{0,60})/.exec(text)?.[1] ?? text.slice(0, 60)));
  });
`;
