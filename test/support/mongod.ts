import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identify, isAlive, signal } from '../../src/platform/redis/private-redis/process-identity.ts';
import type { ProcessIdentity } from '../../src/platform/redis/private-redis/process-identity.ts';
import { accepts } from './accepts.ts';
import { until } from './until.ts';
import { freePort } from './free-port.ts';

/**
 * A throw-away `mongod` for tests that need a MongoDB and may crash it. Also a command, so that a test can run it as
 * `MONGODB_TEST_CRASH` and `MONGODB_TEST_RESUME`: `node --import tsx test/support/mongod.ts crash|resume DIR`.
 */

export function isMongodPresent(): boolean {
  return spawnSync('mongod', ['--version'], { stdio: 'ignore' }).status === 0;
}

/** Starts one on a free port with its data in `dir`; answers its URL. */
export async function startMongod(dir: string): Promise<string> {
  await mkdir(join(dir, 'db'), { recursive: true });
  const port = await freePort();
  await writeFile(join(dir, 'port'), String(port));
  await resumeMongod(dir);
  return `mongodb://127.0.0.1:${port}/test`;
}

/** Kills it as a power cut would, keeping its data. */
export async function crashMongod(dir: string): Promise<void> {
  const mongod = await recorded(dir);
  signal(mongod, 'SIGKILL');
  await until(() => !isAlive(mongod));
}

/** Starts it again on its port and data. Answers once it takes connections. */
export async function resumeMongod(dir: string): Promise<void> {
  const port = Number(await readFile(join(dir, 'port'), 'utf8'));
  const args = ['--dbpath', join(dir, 'db'), '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
  const child = spawn('mongod', [...args, '--logpath', join(dir, 'log'), '--logappend'], {
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
  if (child.pid === undefined) throw new Error('mongod could not be started');
  await writeFile(join(dir, 'process.json'), JSON.stringify(identify(child.pid)));
  await until(() => accepts({ host: '127.0.0.1', port }));
}

export async function stopMongod(dir: string): Promise<void> {
  await crashMongod(dir);
  await rm(dir, { recursive: true, force: true });
}

async function recorded(dir: string): Promise<ProcessIdentity> {
  return JSON.parse(await readFile(join(dir, 'process.json'), 'utf8')) as ProcessIdentity;
}

const [action, dir = ''] = process.argv.slice(2);
if (import.meta.filename === process.argv[1]) {
  if (action === 'crash') await crashMongod(dir);
  else if (action === 'resume') await resumeMongod(dir);
  else throw new Error('usage: mongod.ts crash|resume DIR');
}
