import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { prepareCollections } from '../src/main/wiring/collections.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { openStore } from '../src/platform/store/store.ts';
import { median, quantile } from './figures.ts';
import { addPublishers, agentOf, operatorAt, operatorOf, PROPERTIES_EACH, publisherAt } from './scale-rows.ts';
import { useOf } from './watched.ts';
import type { Used } from './watched.ts';

const SIZES = [1_000, 100_000, 1_000_000];
/** On MongoDB, unless `--rows` says so. */
const MONGODB_ROWS = 100_000;
const OTHERS = { calls: 30, warmUp: 10 };
/** Of small calls, so that both sides' code is compiled. */
const SMALL = { calls: 200, warmUp: 300 };

interface Side {
  url: string;
  useUrl: string;
  stop(): Promise<void>;
}

interface Call {
  path: string;
  /** Sent by POST; absent: a GET. */
  body?: string;
}

/**
 * What the registry's look-ups cost with 1,000, 100,000 and 1,000,000 properties stored (`--rows 1000` for fewer), ten to a
 * publisher, one call after the other, each of something else but where it says "again"; against Express that parses the same and answers the same bytes.
 * Each side is a process of its own and tells what it used. Filling is outside the clock.
 */
export async function benchScale({ rows }: { rows?: string }): Promise<void> {
  await onStore('sqlite', undefined, Number(rows ?? SIZES.at(-1)));
  const url = process.env['MONGODB_TEST_URL'];
  if (url === undefined) {
    console.log('MongoDB: not measured; set MONGODB_TEST_URL');
    return;
  }
  const mongodb = new URL(url);
  mongodb.pathname = `/bench_${randomUUID().slice(0, 8)}`;
  try {
    await onStore('mongodb', mongodb.href, Number(rows ?? MONGODB_ROWS));
  } finally {
    const connection = await mongoose.createConnection(mongodb.href).asPromise();
    await connection.dropDatabase();
    await connection.close();
  }
}

async function onStore(name: string, mongodbUrl: string | undefined, most: number): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'mba-bench-scale-'));
  const logger = createLogger('error');
  const redis = await usePrivateRedis({ dataDir, logger });
  const peer = await startSide('registry-echo.ts', {});
  try {
    let stored = 0;
    for (const size of SIZES.filter((size) => size <= most)) {
      const count = size / PROPERTIES_EACH;
      const began = performance.now();
      const store = await openStore({ mongodbUrl, dataDir, logger });
      await prepareCollections(store);
      await addPublishers(store, stored, count);
      await store.close();
      stored = count;
      console.log(`${name}, ${size} properties (added in ${((performance.now() - began) / 1000).toFixed(0)} s)`);
      const ours = await startSide('scale-server.ts', {
        ...{
          PORT: '0',
          DATA_DIR: dataDir,
          REDIS_URL: redis.url,
          MONGODB_URL: mongodbUrl ?? '',
          TRUST_PROXY: '1',
          DRAIN_SECONDS: '0',
        },
        ...{ SECRET_KEY: 'the secret of a bench that seals nothing', LOG_LEVEL: 'error' },
      });
      try {
        for (const call of callsOf(count)) await measure(call, [ours, peer]);
      } finally {
        await ours.stop();
      }
    }
  } finally {
    await peer.stop();
    await redis.release();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** One of what is measured. */
interface Measured {
  what: string;
  callAt: (n: number) => Call;
  /** How many times the peer's time it may take; absent for what has no aim. */
  aim?: number;
  isSmall?: true;
}

function callsOf(count: number): Measured[] {
  const some = (n: number, i: number) => (n * 7_919 + i * 31) % count;
  const list = (n: number, size: number, known: number) =>
    Array.from({ length: size }, (_, i) => (i < known ? publisherAt(some(n, i)) : `unheard-of-${n}-${i}.example`));
  const question = (publisher: number) => ({ agent: agentOf(publisher), property: `s0.${publisherAt(publisher)}` });
  const json = (value: unknown) => ({ body: JSON.stringify(value) });
  const resolve = (n: number) => ({
    path: RESOLVE,
    ...json({ domains: Array.from({ length: 100 }, (_, i) => publisherAt(n * 100 + i)) }),
  });
  const check = (known: number) => (n: number) => ({ path: CHECK, ...json({ domains: list(n, 10_000, known) }) });
  const operator = (domain: string) => ({ path: `/api/registry/operator?domain=${domain}` });
  const questions = (n: number) => ({ questions: Array.from({ length: 1_000 }, (_, i) => question(some(n, i))) });
  const one = (n: number) => `${AUTHORIZATION}?${new URLSearchParams(question(some(n, 0))).toString()}`;
  return [
    // As many known as the smallest registry has.
    { what: 'check of 10,000, 100 known', callAt: check(100), aim: 15 },
    { what: 'check of 10,000, 6,000 known', callAt: check(6_000), aim: 15 },
    // Of others each time, where there are so many; what is asked for again is kept.
    ...(count < (OTHERS.calls + OTHERS.warmUp) * 100
      ? []
      : [{ what: 'resolve of 100, first', callAt: resolve, aim: 5 }]),
    { what: 'resolve of 100, again', callAt: () => resolve(0), aim: 5 },
    // Of others each time, where there are so many; what all hosts of an operator have in common is kept.
    ...(operatorOf(count) <= OTHERS.calls + OTHERS.warmUp
      ? []
      : [{ what: 'operator, first', callAt: (n: number) => operator(operatorAt(n + 1)) }]),
    // Of a host that nobody has asked for, below the domain of an operator that somebody has.
    { what: 'operator, another host', callAt: (n) => operator(`host-${n}.${operatorAt(0)}`), isSmall: true },
    { what: 'operator, again', callAt: () => operator(operatorAt(0)), aim: 2, isSmall: true },
    { what: 'operator, unknown', callAt: (n) => operator(`unheard-of-${n}.example`), isSmall: true },
    { what: 'authorization', callAt: (n) => ({ path: one(n) }), isSmall: true },
    { what: 'authorization of 1,000', callAt: (n) => ({ path: AUTHORIZATION, ...json(questions(n)) }) },
  ];
}

/** The tightest limit here is 20 a minute. */
const CALLS_OF_ONE = 20;
const CHECK = '/api/properties/check';
const RESOLVE = '/api/properties/resolve/bulk';
const AUTHORIZATION = '/api/registry/authorization';

async function measure({ what, callAt, aim, isSmall }: Measured, [ours, peer]: [Side, Side]): Promise<void> {
  const { calls, warmUp } = isSmall === true ? SMALL : OTHERS;
  const took: Record<'ours' | 'peer', number[]> = { ours: [], peer: [] };
  const used: Record<'ours' | 'peer', Used[]> = { ours: [], peer: [] };
  const name = encodeURIComponent(what);
  for (let n = -warmUp; n < calls; n++) {
    const call = callAt(n + warmUp);
    await useOf(ours.useUrl);
    const answered = await timed(`${ours.url}${call.path}`, call);
    const oursUsed = await useOf(ours.useUrl);
    await fetch(`${peer.url}/answers/${name}`, { method: 'PUT', headers: strangerHeaders(), body: answered.text });
    await useOf(peer.useUrl);
    const echoed = await timed(`${peer.url}/calls/${name}`, call);
    const peerUsed = await useOf(peer.useUrl);
    if (n < 0) continue;
    took.ours.push(answered.ms);
    took.peer.push(echoed.ms);
    used.ours.push(oursUsed);
    used.peer.push(peerUsed);
  }
  const [p50, peerP50] = [median(took.ours), median(took.peer)];
  const cpu = (side: 'ours' | 'peer') => median(used[side].map((one) => one.cpu));
  const ratio = p50 / peerP50;
  console.log(
    [
      `  ${what.padEnd(30)} p50 ${p50.toFixed(1)} ms, p95 ${quantile(took.ours, 0.95).toFixed(1)}`,
      `×${ratio.toFixed(1)} of an echo${aim === undefined ? '' : ratio <= aim ? `, within ×${aim}` : `, OVER ×${aim}`}`,
      `cpu ${cpu('ours').toFixed(1)} ms, ×${(cpu('ours') / cpu('peer')).toFixed(1)}`,
      `loop ${median(used.ours.map(({ stall }) => stall)).toFixed(0)}, at most ${Math.max(...used.ours.map(({ stall }) => stall)).toFixed(0)} ms`,
      `${median(used.ours.map(({ reads }) => reads)).toFixed(0)} reads`,
    ].join('   '),
  );
}

async function timed(url: string, { body }: Call): Promise<{ ms: number; text: string }> {
  const sent = body === undefined ? {} : { method: 'POST', body };
  const began = performance.now();
  const response = await fetch(url, { ...sent, headers: strangerHeaders() });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return { ms: performance.now() - began, text };
}

let asked = 0;

/** As buyers do, from one address for a while: limits are counted, and never reached. */
function strangerHeaders(): Record<string, string> {
  const stranger = Math.floor(asked++ / CALLS_OF_ONE);
  const [a, b, c] = [0, 8, 16].map((shift) => (stranger >> shift) & 255);
  return { 'content-type': 'application/json', 'x-forwarded-for': `10.${a}.${b}.${c}` };
}

async function startSide(file: string, env: Record<string, string>): Promise<Side> {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', entry], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const first = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
  const { base_url, use_url } = JSON.parse(String(first.value)) as { base_url: string; use_url: string };
  return {
    url: base_url,
    useUrl: use_url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
