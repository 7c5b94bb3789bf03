import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createLogger } from '../src/platform/log.ts';
import { usePrivateRedis } from '../src/platform/redis/private-redis.ts';
import { median } from './figures.ts';

const ROUNDS = 5;

/** What is started, and whether it is over when it says that it is ready, or when it ends. */
const STARTS = {
  'node -e 0': { args: ['-e', '0'], isOver: 'ended' },
  'npm start': { args: ['scripts/run.mjs', 'start', '--json'], isOver: 'ready' },
  'npm run server': { args: ['scripts/run.mjs', 'server', '--json'], isOver: 'ready' },
  'npm run worker': { args: ['scripts/run.mjs', 'worker', '--json'], isOver: 'ready' },
  'npm run agent -- --help': { args: ['scripts/run.mjs', 'agent', '--help'], isOver: 'ended' },
  'npm start from its sources, by tsx': { args: ['--import', 'tsx', 'src/main/start.ts', '--json'], isOver: 'ready' },
} as const satisfies Record<string, { args: readonly string[]; isOver: 'ready' | 'ended' }>;

interface Start {
  /** Milliseconds from spawning it. */
  wall: number;
  /** Milliseconds of processor until then, all threads; undefined where it had ended, and where there is no /proc. */
  cpu: number | undefined;
}

/**
 * From starting a process until it is ready, in turns with a Node that does nothing. Outside the clock: npm's own start,
 * dependencies, the build, and Redis, which are there. Each start has a fresh `DATA_DIR`, so it makes a store, its secret and its keys.
 */
export async function benchStart(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-bench-'));
  const redis = await usePrivateRedis({ dataDir: dir, logger: createLogger('warn') });
  const measured = new Map<string, Start[]>(Object.keys(STARTS).map((name) => [name, []]));
  try {
    // The first of all builds, and reads what others then find in the system's memory.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, { args, isOver }] of Object.entries(STARTS)) {
        const start = await startOnce(args, isOver, redis.url);
        if (round > 0) measured.get(name)?.push(start);
      }
    }
  } finally {
    await redis.release();
    await rm(dir, { recursive: true, force: true });
  }
  const bare = median(measured.get('node -e 0')?.map(({ wall }) => wall) ?? []);
  for (const [name, starts] of measured) print(name, starts, bare);
}

async function startOnce(args: readonly string[], isOver: 'ready' | 'ended', redisUrl: string): Promise<Start> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-bench-'));
  const settings = { DATA_DIR: dataDir, REDIS_URL: redisUrl, MONGODB_URL: '', PORT: '0', LOG_LEVEL: 'warn' };
  const before = performance.now();
  const child = spawn(process.execPath, args, {
    // With its address given, a worker waits for no server.
    env: { ...process.env, ...settings, PUBLIC_URL: 'http://127.0.0.1:1', ALLOW_LOOPBACK: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  try {
    if (isOver === 'ended') {
      lines.resume();
      await ended;
    } else await Promise.race([once(lines, 'line'), ended]);
    if (isOver === 'ready' && child.exitCode !== null) throw new Error(`${args.join(' ')} ended before it was ready`);
    const wall = performance.now() - before;
    return { wall, cpu: isOver === 'ready' ? await cpuOf(child.pid) : undefined };
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Linux counts in hundredths of a second. */
async function cpuOf(pid: number | undefined): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid ?? 0}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * 10;
}

function print(name: string, starts: readonly Start[], bare: number): void {
  const walls = starts.map(({ wall }) => wall);
  const cpu = median(starts.flatMap((start) => start.cpu ?? []));
  const spread = `${Math.min(...walls).toFixed(0)}–${Math.max(...walls).toFixed(0)}`;
  console.log(
    `${name}, ms`.padEnd(44),
    `${median(walls).toFixed(0)} (${spread})   ${(median(walls) / bare).toFixed(1)} of node -e 0`,
    Number.isNaN(cpu) ? '' : `  processor ${cpu.toFixed(0)}`,
  );
}
