import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/platform/log.ts';
import { usePrivateRedis } from '../../src/platform/redis/private-redis.ts';
import { productBundle } from './bundle.ts';
import { dropDatabasesOfRun } from './mongo-databases.ts';
import { isMongodPresent, startMongod, stopMongod } from './mongod.ts';

/**
 * Builds the product, starts what all test files of a run share, and answers how to stop it. Test files find it in the
 * environment: `REDIS_TEST_URL` always; `MONGODB_TEST_URL`, `MONGODB_TEST_CRASH` and `MONGODB_TEST_RESUME` (shell
 * commands) where there is a MongoDB. Keys and database names are each test file's own.
 */
export default async function globalSetup(): Promise<(() => Promise<void>) | undefined> {
  // Each project of the run asks; one set-up serves all.
  if (process.env['TEST_SET_UP_BY'] === String(process.pid)) return undefined;
  process.env['TEST_SET_UP_BY'] = String(process.pid);
  process.env['TEST_RUN'] = randomUUID().slice(0, 8);
  // Before any test starts a command: those started together would each build, and say so.
  await productBundle();
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-test-'));
  const redis = await usePrivateRedis({ dataDir: dir, logger: createLogger('info') });
  process.env['REDIS_TEST_URL'] = redis.url;
  const mongod = await findMongodb(join(dir, 'mongod'));
  return async () => {
    await dropDatabasesOfRun();
    await Promise.all([redis.release(), mongod?.stop()]);
    await rm(dir, { recursive: true, force: true });
  };
}

/** The MongoDB named in the environment, else a throw-away `mongod`, else none; the run's last line says so. */
async function findMongodb(dir: string): Promise<{ stop: () => Promise<void> } | undefined> {
  if (process.env['MONGODB_TEST_URL'] !== undefined) return undefined;
  if (!isMongodPresent()) return undefined;
  process.env['MONGODB_TEST_URL'] = await startMongod(dir);
  const command = `'${process.execPath}' --import tsx '${join(import.meta.dirname, 'mongod.ts')}'`;
  process.env['MONGODB_TEST_CRASH'] = `${command} crash '${dir}'`;
  process.env['MONGODB_TEST_RESUME'] = `${command} resume '${dir}'`;
  return { stop: () => stopMongod(dir) };
}
