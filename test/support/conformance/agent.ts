/**
 * `npm run conformance-agent`: starts a server and a worker as separate processes on one data folder and prints where
 * the agent is. Environment: PORT (default 9999), DATA_DIR (default a throw-away folder), MONGODB_URL (with SECRET_KEY) and REDIS_URL as
 * everywhere; CONFORMANCE_CARD=1.0 or 0.3 serves card requests without a version header that generation alone instead
 * of the document for both; BOOTSTRAP_API_KEY turns authentication on; CONFORMANCE_DEDUPES=true takes a repeated
 * message for the same task also where it names no skill; GRPC_PORT is a free one unless it is set.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundle } from '../bundle.ts';

const given = process.env['DATA_DIR'];
const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'conformance-agent-')));
const env = { PORT: '9999', LOG_LEVEL: 'warn', ALLOW_LEGACY_BEARER: 'true', ...process.env, DATA_DIR: dataDir };
const children: ChildProcess[] = [];
let stopping = false;

async function start(file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [await bundle(`test/support/conformance/${file}`)], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.once('exit', () => void stop(stopping ? 0 : 1));
  children.push(child);
  return child;
}

async function readyLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the process has no standard output');
  for await (const line of createInterface(child.stdout)) return line;
  throw new Error('the process ended before it was ready');
}

async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const ended = Promise.all(running.map((child) => once(child, 'exit')));
  for (const child of running) child.kill('SIGTERM');
  await ended;
  if (given === undefined) await rm(dataDir, { recursive: true, force: true });
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));
// A shell between npm and this process does not pass signals on, but it does go away.
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) void stop(0);
}, 500);
const server = await readyLine(await start('server.ts'));
await readyLine(await start('worker.ts'));
console.log(server);
