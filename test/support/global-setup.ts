import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';

/** Starts what all test files of a run share; answers how to stop it. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'mba-test-'));
  const socketPath = join(dir, 'redis.sock');
  const redis = spawn(
    'redis-server',
    ['--port', '0', '--unixsocket', socketPath, '--dir', dir, '--save', '', '--maxmemory-policy', 'noeviction'],
    { stdio: 'ignore' },
  );
  const exited = once(redis, 'exit');
  await accepting(socketPath);
  process.env['REDIS_TEST_URL'] = `unix://${socketPath}`;
  if (process.env['MONGODB_TEST_URL'] === undefined) console.error('MongoDB was not tested: set MONGODB_TEST_URL');
  return async () => {
    redis.kill();
    await exited;
    await rm(dir, { recursive: true, force: true });
  };
}

async function accepting(path: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = createConnection(path);
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('redis-server did not start');
}
