import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/platform/log.ts';
import { redisBinary } from '../../src/platform/redis/private-redis/redis-binary.ts';
import { accepts } from './accepts.ts';
import { until } from './until.ts';

export interface OwnRedis {
  url: string;
  /** `kill -9`; its data is kept. */
  crash(): Promise<void>;
  /** Starts it again on its data. */
  resume(): Promise<void>;
  /** Ends it for good. */
  stop(): Promise<void>;
}

/** A Redis of one test's own, which it may crash and flush. Append-only, on a unix socket in a temporary folder. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-redis-'));
  const path = join(dir, 'redis.sock');
  let redis: ChildProcess;
  const resume = async (): Promise<void> => {
    const args = ['--port', '0', '--unixsocket', path, '--dir', dir, '--appendonly', 'yes', '--save', ''];
    redis = spawn(redisBinary(createLogger('warn')), args, { stdio: 'ignore' });
    await until(() => accepts({ path }));
  };
  const crash = async (): Promise<void> => {
    if (redis.exitCode !== null || redis.signalCode !== null) return;
    const exited = once(redis, 'exit');
    redis.kill('SIGKILL');
    await exited;
  };
  await resume();
  return {
    url: `unix://${path}`,
    crash,
    resume,
    async stop() {
      await crash();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
