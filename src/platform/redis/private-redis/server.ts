import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../log.ts';
import { identify, isAlive, signal } from './process-identity.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { askServer, socketPathFor } from './socket.ts';

/** What `server.json` in the folder says. Kept after a crash, so that a new server takes the same socket. */
interface ServerRecord {
  socketPath: string;
  server?: ProcessIdentity;
  watchdog?: ProcessIdentity;
}

export interface Keeping {
  dir: string;
  /** The server program. */
  binary: string;
  logger: Logger;
}

/** How long a server may take to answer after its start, loading its data included, in milliseconds. */
const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 5000;

/** Whether the recorded server and its watchdog run. A cheap look, without the lock. */
export async function isServing(dir: string): Promise<boolean> {
  const { server, watchdog } = (await readRecord(dir)) ?? {};
  return server !== undefined && watchdog !== undefined && isAlive(server) && isAlive(watchdog);
}

/** Starts what does not run, adopts what does, and answers the socket's path. Only under the folder's lock. */
export async function keepServing(keeping: Keeping): Promise<string> {
  const { dir, logger } = keeping;
  const known = await readRecord(dir);
  const socketPath = await socketPathFor(dir, known?.socketPath);
  const adopted = known?.socketPath === socketPath ? await adopt(known, logger) : undefined;
  const server = adopted ?? (await startKeepingData(keeping, socketPath));
  const watched = adopted && known?.watchdog && isAlive(known.watchdog);
  const watchdog = watched ? known.watchdog : startWatchdog(dir, server);
  await writeRecord(dir, { socketPath, server, ...(watchdog && { watchdog }) });
  return socketPath;
}

/** Stops the server after its data is on disk. Only under the folder's lock. */
export async function stopServing(dir: string): Promise<void> {
  const { socketPath, server, watchdog } = (await readRecord(dir)) ?? {};
  if (watchdog) {
    signal(watchdog, 'SIGKILL', { group: true });
    await ended(watchdog, STOP_WITHIN_MS);
  }
  if (!server || socketPath === undefined) return;
  await askServer(socketPath, 'SHUTDOWN').catch(() => undefined);
  if (!(await ended(server, STOP_WITHIN_MS))) signal(server, 'SIGKILL');
  await rm(socketPath, { force: true });
  await writeRecord(dir, { socketPath });
}

/** The recorded server, if it runs and answers. One that runs but does not answer is ended. */
async function adopt({ server, socketPath }: ServerRecord, logger: Logger): Promise<ProcessIdentity | undefined> {
  if (!server || !isAlive(server)) return undefined;
  if (await answers(socketPath, server)) return server;
  logger.warn({ pid: server.pid }, 'the private redis does not answer; starting it again');
  signal(server, 'SIGKILL');
  await ended(server, STOP_WITHIN_MS);
  return undefined;
}

/** Starts on the data that is there; data that cannot be read is set aside, since queues can be rebuilt without it. */
async function startKeepingData({ dir, binary, logger }: Keeping, socketPath: string): Promise<ProcessIdentity> {
  const started = await start(binary, dir, socketPath);
  if (started) return started;
  const data = join(dir, 'appendonlydir');
  if (existsSync(data)) {
    const aside = `${data}.unreadable-${Date.now()}`;
    await rename(data, aside);
    logger.error({ set_aside: aside }, 'the private redis could not read its data; starting without it');
    const empty = await start(binary, dir, socketPath);
    if (empty) return empty;
  }
  const log = await readFile(join(dir, 'redis.log'), 'utf8').catch(() => '');
  throw new Error(`${binary} did not start: ${log.trimEnd().split('\n').slice(-3).join(' / ')}`);
}

async function start(binary: string, dir: string, socketPath: string): Promise<ProcessIdentity | undefined> {
  const options = {
    port: '0',
    unixsocket: socketPath,
    unixsocketperm: '700',
    dir,
    logfile: join(dir, 'redis.log'),
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    daemonize: 'no',
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawnDetached(binary, args, dir);
  return server && (await answers(socketPath, server)) ? server : undefined;
}

/** True once the server answers, false when it ended or took too long. */
async function answers(socketPath: string, server: ProcessIdentity): Promise<boolean> {
  const deadline = Date.now() + START_WITHIN_MS;
  while (isAlive(server) && Date.now() < deadline) {
    const answer = await askServer(socketPath, 'PING').catch(() => '');
    if (answer.startsWith('+PONG')) return true;
    await delay(20);
  }
  return false;
}

function startWatchdog(dir: string, server: ProcessIdentity): ProcessIdentity | undefined {
  const script = fileURLToPath(new URL('watchdog.sh', import.meta.url));
  return spawnDetached('sh', [script, String(server.pid), server.started], dir);
}

/** A process in a session of its own, which neither Ctrl-C nor the end of this process reaches. */
function spawnDetached(program: string, args: string[], cwd: string): ProcessIdentity | undefined {
  const child = spawn(program, args, { cwd, detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
  return child.pid === undefined ? undefined : identify(child.pid);
}

async function ended(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (isAlive(identity)) {
    if (Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}

async function readRecord(dir: string): Promise<ServerRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, 'server.json'), 'utf8')) as ServerRecord;
  } catch {
    return undefined;
  }
}

async function writeRecord(dir: string, record: ServerRecord): Promise<void> {
  const file = join(dir, 'server.json');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.new`, file);
}
