import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from '../log.ts';
import { withFileLock } from '../file-lock.ts';
import { identify, isAlive } from './private-redis/process-identity.ts';
import { redisBinary } from './private-redis/redis-binary.ts';
import { isServing, keepServing, stopServing } from './private-redis/server.ts';
import type { ServerAddress } from './redis-connection.ts';

export interface PrivateRedisOptions {
  /** The folder whose `redis` folder holds the data, the socket and the register of users. Created when missing. */
  dataDir: string;
  logger: Logger;
}

export interface PrivateRedis {
  /** A unix socket; there is no TCP port. */
  url: ServerAddress;
  /** Gives it up. The last to do so, of all processes, stops it. Repeats do nothing. */
  release(): Promise<void>;
}

/** How often each user looks whether the server still runs, in milliseconds. */
const LOOK_EVERY_MS = 1000;

/**
 * A Redis (or Valkey) of this data folder's own, with append-only persistence, shared by all processes that use the
 * folder. The first starts it; the last to leave stops it. If it dies, a user starts it again on its data; if all users
 * die, a watchdog stops it within about 6 s. A Redis that was not started here is never touched.
 * @throws {MissingRedisError} when there is no server program and none may be installed.
 */
export async function usePrivateRedis({ dataDir, logger }: PrivateRedisOptions): Promise<PrivateRedis> {
  const binary = redisBinary(logger);
  const dir = join(resolve(dataDir), 'redis');
  const users = join(dir, 'users');
  await mkdir(users, { recursive: true, mode: 0o700 });
  const lock = join(dir, 'lock');
  const registration = join(users, `${process.pid}-${randomUUID()}`);

  const url = await withFileLock(lock, async () => {
    await writeFile(registration, `${identify().started}\n`);
    try {
      return `unix://${await keepServing({ dir, binary, logger })}`;
    } catch (error) {
      await rm(registration, { force: true });
      throw error;
    }
  });

  let looking: Promise<void> | undefined;
  let failing = false;
  const look = async (): Promise<void> => {
    try {
      if (!(await isServing(dir))) await withFileLock(lock, () => keepServing({ dir, binary, logger }));
      failing = false;
    } catch (error) {
      if (!failing) logger.error({ err: error }, 'the private redis could not be started again; trying on');
      failing = true;
    }
  };
  const timer = setInterval(() => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }, LOOK_EVERY_MS);
  timer.unref();

  const release = async (): Promise<void> => {
    clearInterval(timer);
    await looking;
    await withFileLock(lock, async () => {
      await rm(registration, { force: true });
      if (!(await hasUsers(users))) await stopServing(dir);
    });
  };
  let released: Promise<void> | undefined;
  return { url, release: () => (released ??= release()) };
}

/** Whether a registered process lives. Registrations of dead ones are removed. */
async function hasUsers(users: string): Promise<boolean> {
  let living = false;
  for (const name of await readdir(users)) {
    const file = join(users, name);
    const started = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (isAlive({ pid: Number.parseInt(name, 10), started })) living = true;
    else await rm(file, { force: true });
  }
  return living;
}
