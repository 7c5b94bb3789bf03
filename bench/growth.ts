import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDemoKey } from '../src/directory/bootstrap.ts';
import { readConfig } from '../src/main/config/config.ts';
import { startServer } from '../src/main/wiring/start-server.ts';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { median } from './figures.ts';
import { idOf, seedStories, seedYear, watchLoop } from './growth-rows.ts';

const CALLS = 60;

/** Processor time and the longest hold-up of the event loop, in milliseconds. */
interface Figures {
  cpu: number;
  p50: number;
  stall: number;
}

/**
 * What a read costs with 1,000, 10,000 and 100,000 stories stored (`--rows 1000000` for more), all of one buyer, over HTTP and one
 * after the other. Client and server are one process; its processor time is what is compared. Rows are put into the store
 * directly, outside the clock, and nothing else is done meanwhile.
 */
export async function benchGrowth({ rows: wanted = '100000' }: { rows?: string }): Promise<void> {
  const most = Number(wanted);
  const dir = await mkdtemp(join(tmpdir(), 'mba-bench-growth-'));
  const log = createLogger('error');
  const redis = await usePrivateRedis({ dataDir: dir, logger: log });
  const mongodb = process.env['MONGODB_TEST_URL'];
  const env = { PORT: '0', DATA_DIR: dir, REDIS_URL: redis.url, LOG_LEVEL: 'error' };
  const server = await startServer(readConfig(env, { allowLoopback: true }), log);
  if (mongodb !== undefined) console.log('measured on the embedded store; MongoDB is not measured here');
  try {
    const { key } = await ensureDemoKey(server.core, server.core.secret);
    const call = caller(server.core.baseUrl, key);
    const base = new Map<string, Figures>();
    let stored = 0;
    let reads: Reads = {};
    for (const rows of [1_000, 10_000, 100_000, 1_000_000].filter((rows) => rows <= most)) {
      await seedStories(server.core, stored, rows);
      if (stored === 0) reads = readsOf(await seedYear(server.core));
      stored = rows;
      console.log(`${rows} stories`);
      for (const [what, params] of Object.entries(reads)) {
        const figures = await measured((i) => call(...params(i % rows)));
        const first = base.get(what) ?? figures;
        base.set(what, first);
        console.log(
          `  ${what.padEnd(34)} cpu ${figures.cpu.toFixed(2)} ms  p50 ${figures.p50.toFixed(2)} ms  loop ${figures.stall.toFixed(0)} ms   of 1,000: ${(figures.cpu / first.cpu).toFixed(2)}`,
        );
      }
    }
  } finally {
    await server.stop();
    await redis.release();
    await rm(dir, { recursive: true, force: true });
  }
}

type Reads = Record<string, (i: number) => [method: string, params: unknown]>;

function readsOf({ media_buy_id, start, end }: { media_buy_id: string; start: string; end: string }): Reads {
  const ask = (skill: string, input: unknown): [string, unknown] => [
    'SendMessage',
    { message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ data: { skill, input } }] } },
  ];
  const date_range = { start, end };
  return {
    GetTask: (i) => ['GetTask', { id: idOf(i) }],
    'ListTasks {1}': () => ['ListTasks', { pageSize: 1 }],
    'ListTasks {50}': () => ['ListTasks', { pageSize: 50 }],
    'ListTasks {1, failed}': () => ['ListTasks', { pageSize: 1, status: 'TASK_STATE_FAILED' }],
    'ListTasks {1, context}': (i) => ['ListTasks', { pageSize: 1, contextId: `context-${Math.floor(i / 8)}` }],
    'get_media_buys, a page': () => ask('get_media_buys', { limit: 50 }),
    'get_media_buys, a page, by status': () => ask('get_media_buys', { limit: 50, status: ['active', 'paused'] }),
    'get_media_buys, by buyer_ref': (i) => ask('get_media_buys', { buyer_ref: `story-${i}` }),
    'delivery of a year': () => ask('get_media_buy_delivery', { media_buy_id, granularity: 'daily', date_range }),
  };
}

function caller(baseUrl: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'a2a-version': '1.0' };
  return async (method: string, params: unknown): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(`${baseUrl}/a2a/jsonrpc`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { error?: unknown; result?: { task?: { status?: { state?: string } } } };
    const state = answer.result?.task?.status?.state ?? 'TASK_STATE_COMPLETED';
    if (answer.error !== undefined || (method === 'SendMessage' && state !== 'TASK_STATE_COMPLETED'))
      throw new Error(`${method}: ${JSON.stringify(answer).slice(0, 500)}`);
  };
}

async function measured(call: (i: number) => Promise<void>): Promise<Figures> {
  for (let i = 0; i < 20; i++) await call(i);
  const cpus: number[] = [];
  const took: number[] = [];
  const stop = watchLoop();
  for (let i = 0; i < CALLS; i++) {
    const usage = process.cpuUsage();
    const started = performance.now();
    await call(i * 7);
    took.push(performance.now() - started);
    const { user, system } = process.cpuUsage(usage);
    cpus.push((user + system) / 1000);
  }
  return { cpu: median(cpus), p50: median(took), stall: stop() };
}
