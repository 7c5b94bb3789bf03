import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { openStore } from '../src/platform/store/store.ts';
import { median } from './figures.ts';
import { fillRegistry, operatorDomain, publisherDomain } from './registry-rows.ts';
import { compare, load, startSide } from './sides.ts';
import type { Side } from './sides.ts';

const SIZES = [100, 1_000, 10_000];
const CALLS = 15;
/** Promised for the largest list, in milliseconds at the median. */
const LIMIT_MS = 300;
/** Aimed at: so many times as long as the peer takes for the same bytes. */
const AIMED = { check: 15, resolve: 5, operator: 2 };
const CONNECTIONS = 10;
const PEER = 'bare Express echo';

/**
 * The registry over HTTP with a hundred thousand publishers stored: how long a property check takes as lists grow, a bulk resolve
 * and an operator look-up, and checks and look-ups per second, on each store there is, against an Express handler that parses and
 * echoes.
 */
export async function benchRegistry(): Promise<void> {
  await onStore('sqlite', undefined);
  const url = process.env['MONGODB_TEST_URL'];
  if (url === undefined) {
    console.log('MongoDB: not measured; set MONGODB_TEST_URL');
    return;
  }
  const mongodb = new URL(url);
  mongodb.pathname = `/bench_${randomUUID().slice(0, 8)}`;
  try {
    await onStore('mongodb', mongodb.href);
  } finally {
    const connection = await mongoose.createConnection(mongodb.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
  }
}

async function onStore(name: string, mongodbUrl: string | undefined): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mba-bench-registry-'));
  const logger = createLogger('error');
  const redis = await usePrivateRedis({ dataDir, logger });
  const store = await openStore({ mongodbUrl, dataDir, logger });
  await fillRegistry(store);
  await store.close();
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    REDIS_URL: redis.url,
    MONGODB_URL: mongodbUrl ?? '',
    SECRET_KEY: 'the secret of a bench that seals nothing',
  };
  const sides = [
    await startSide(['../src/main/server.ts', '--json'], { ...env, TRUST_PROXY: '1', LOG_LEVEL: 'error' }),
    await startSide(['registry-bare.ts'], {}),
  ] as const;
  try {
    for (const size of SIZES) {
      const body = JSON.stringify({ domains: listOf(size) });
      await times(`property check of ${size}, ${name}`, sides, { path: CHECK, body, most: AIMED.check });
    }
    const hundred = JSON.stringify({ domains: listOf(100) });
    const resolve = { path: '/api/properties/resolve/bulk', body: hundred, most: AIMED.resolve };
    await times(`bulk resolve of 100, ${name}`, sides, resolve);
    const operator = { path: `/api/registry/operator?domain=${operatorDomain(7)}`, most: AIMED.operator };
    await times(`operator look-up, ${name}`, sides, operator);
    const body = JSON.stringify({ domains: listOf(100) });
    await compare(`property checks of 100, ${name}`, sides, PEER, (side) =>
      load(CONNECTIONS, `${side.url}/api/properties/check`, () => ({ method: 'POST', headers: headers(), body })),
    );
    let n = 0;
    await compare(`operator look-ups, ${name}`, sides, PEER, (side) =>
      load(CONNECTIONS, side.url, () => ({
        path: `/api/registry/operator?domain=${operatorDomain(n++)}`,
        headers: headers(),
      })),
    );
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
    await redis.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Call {
  path: string;
  /** Sent by POST; absent: a GET. */
  body?: string;
  /** So many times the peer's time, at most. */
  most: number;
}

const CHECK = '/api/properties/check';

/** One call after the other, the two sides in turns, after a few that warm up. */
async function times(what: string, [ours, peer]: readonly [Side, Side], call: Call): Promise<void> {
  const [took, peerTook]: [number[], number[]] = [[], []];
  for (let i = -3; i < CALLS; i++) {
    const pair = [await timed(ours, call), await timed(peer, call)] as const;
    if (i < 0) continue;
    took.push(pair[0]);
    peerTook.push(pair[1]);
  }
  const [p50, peerP50] = [median(took), median(peerTook)];
  const verdict = p50 <= LIMIT_MS ? 'within' : 'OVER';
  const ratio = p50 / peerP50;
  console.log(
    `${what.padEnd(44)} p50 ${p50.toFixed(1)} ms longest ${Math.max(...took).toFixed(1)} ms  ${verdict} ${LIMIT_MS} ms   ${PEER} ${peerP50.toFixed(1)} ms   ×${ratio.toFixed(1)}, ${ratio <= call.most ? 'within' : 'OVER'} ×${call.most}`,
  );
}

async function timed(side: Side, { path, body }: Call): Promise<number> {
  const started = performance.now();
  const sent = body === undefined ? {} : { method: 'POST', body };
  const response = await fetch(side.url + path, { ...sent, headers: headers() });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return performance.now() - started;
}

/** Of ten domains six are known, and one each is written otherwise, sent twice, blocked, and unheard of. */
function listOf(size: number): string[] {
  return Array.from({ length: size }, (_, i) => {
    switch (i % 10) {
      case 6:
        return `https://www.${publisherDomain(i * 7)}/news`;
      case 7:
        return publisherDomain((i - 1) * 7);
      case 8:
        return `slot-${i}.2mdn.net`;
      case 9:
        return `unheard-of-${i}.example`;
      default:
        return publisherDomain(i * 7);
    }
  });
}

/** From an address of its own each time: limits are counted, and never reached. */
function headers(): Record<string, string> {
  const [a, b, c] = [0, 8, 16].map((shift) => (Math.floor(Math.random() * 2 ** 24) >> shift) & 255);
  return { 'content-type': 'application/json', 'x-forwarded-for': `10.${a}.${b}.${c}` };
}
