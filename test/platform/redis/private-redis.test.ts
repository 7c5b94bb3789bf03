import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/platform/log.ts';
import { usePrivateRedis } from '../../../src/platform/redis/private-redis.ts';
import { isAlive } from '../../../src/platform/redis/private-redis/process-identity.ts';
import type { ProcessIdentity } from '../../../src/platform/redis/private-redis/process-identity.ts';
import { createOutageLog, openRedis } from '../../../src/platform/redis/redis-connection.ts';
import { bundle } from '../../support/bundle.ts';
import { until } from '../../support/until.ts';

/** A process of its own that uses the Redis of a folder until its input ends. */
const USER = 'test/platform/support/redis-user.ts';
const logger = createLogger('silent');
let dataDir: string;
let children: ChildProcess[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'mba-private-redis-'));
});

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  const left = await usePrivateRedis({ dataDir, logger });
  await left.release();
  await rm(dataDir, { recursive: true, force: true });
});

describe('one process', () => {
  it('serves over a unix socket in the data folder, with no TCP port, append-only and never evicting', async () => {
    const redis = await usePrivateRedis({ dataDir, logger });
    expect(redis.url).toBe(`unix://${dataDir}/redis/redis.sock`);
    expect(await ask(redis.url, 'CONFIG', 'GET', 'port')).toEqual(['port', '0']);
    expect(await ask(redis.url, 'CONFIG', 'GET', 'appendonly')).toEqual(['appendonly', 'yes']);
    expect(await ask(redis.url, 'CONFIG', 'GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    await redis.release();
  });

  it('stops the server and its watchdog when it leaves, and keeps the data for the next time', async () => {
    const first = await usePrivateRedis({ dataDir, logger });
    await ask(first.url, 'SET', 'kept', 'yes');
    const { server, watchdog } = await recorded();
    await first.release();
    expect([isAlive(server), isAlive(watchdog)]).toEqual([false, false]);
    const second = await usePrivateRedis({ dataDir, logger });
    expect(await ask(second.url, 'GET', 'kept')).toBe('yes');
    await second.release();
  });

  it('listens in a private folder of the temporary directory when the data folder’s path is too long', async () => {
    const deep = join(dataDir, 'a-folder-whose-name-is-long'.repeat(5));
    const redis = await usePrivateRedis({ dataDir: deep, logger });
    expect(redis.url.length).toBeLessThan(107);
    expect(await ask(redis.url, 'PING')).toBe('PONG');
    await redis.release();
    await rm(join(redis.url.slice('unix://'.length), '..'), { recursive: true });
  });

  it('sets unreadable data aside and starts empty, since queues are rebuilt from the store', async () => {
    const before = await usePrivateRedis({ dataDir, logger });
    await ask(before.url, 'SET', 'key', 'value');
    await before.release();
    await writeFile(join(dataDir, 'redis', 'appendonlydir', 'appendonly.aof.manifest'), 'nonsense\n');
    const after = await usePrivateRedis({ dataDir, logger });
    expect(await ask(after.url, 'DBSIZE')).toBe(0);
    expect((await readdir(join(dataDir, 'redis'))).some((name) => name.startsWith('appendonlydir.unreadable-'))).toBe(
      true,
    );
    await after.release();
  });

  it('starts the server again on its data after kill -9', async () => {
    const redis = await usePrivateRedis({ dataDir, logger });
    await ask(redis.url, 'SET', 'kept', 'yes');
    const { server } = await recorded();
    process.kill(server.pid, 'SIGKILL');
    await until(async () => (await recorded()).server.pid !== server.pid);
    expect(await ask(redis.url, 'GET', 'kept')).toBe('yes');
    await redis.release();
  });

  it('starts the watchdog again after kill -9', async () => {
    const redis = await usePrivateRedis({ dataDir, logger });
    const before = await recorded();
    process.kill(before.watchdog.pid, 'SIGKILL');
    await until(async () => (await recorded()).watchdog.pid !== before.watchdog.pid);
    const after = await recorded();
    expect([after.server, isAlive(after.watchdog)]).toEqual([before.server, true]);
    await redis.release();
  });
});

describe('several processes', () => {
  it('share one server when they start at once, and the last to leave stops it', async () => {
    const users = await Promise.all([1, 2, 3].map(() => startUser()));
    expect(new Set(users.map((user) => user.url)).size).toBe(1);
    const { server } = await recorded();
    await Promise.all(users.slice(1).map((user) => user.leave()));
    expect(isAlive(server)).toBe(true);
    await users[0]?.leave();
    expect(isAlive(server)).toBe(false);
  });

  it('leave no server behind when all are killed: the watchdog stops it', async () => {
    const users = await Promise.all([startUser(), startUser()]);
    const { server, watchdog } = await recorded();
    for (const user of users) user.kill();
    await until(() => !isAlive(server) && !isAlive(watchdog));
  });

  it('do not count a killed process as a user', async () => {
    const [killed, leaving] = [await startUser(), await startUser()];
    const { server } = await recorded();
    killed.kill();
    await once(killed.child, 'exit');
    await leaving.leave();
    expect(isAlive(server)).toBe(false);
  });

  it('do not count a process that got the number of a dead one', async () => {
    const redis = await usePrivateRedis({ dataDir, logger });
    const { server } = await recorded();
    await writeFile(join(dataDir, 'redis', 'users', `${process.pid}-before`), '1\n');
    await redis.release();
    expect(isAlive(server)).toBe(false);
  });

  it('adopt the server that a killed process left', async () => {
    const killed = await startUser();
    const { server, watchdog } = await recorded();
    // However long the next one takes to start: the watchdog stands still meanwhile.
    process.kill(watchdog.pid, 'SIGSTOP');
    killed.kill();
    await once(killed.child, 'exit');
    const next = await startUser();
    process.kill(watchdog.pid, 'SIGCONT');
    expect((await recorded()).server).toEqual(server);
    await next.leave();
  });

  it('start afresh when users, server and watchdog were all killed', async () => {
    const killed = await startUser();
    await ask(killed.url, 'SET', 'kept', 'yes');
    const { server, watchdog } = await recorded();
    for (const pid of [killed.child.pid, watchdog.pid, server.pid]) process.kill(pid ?? 0, 'SIGKILL');
    const redis = await usePrivateRedis({ dataDir, logger });
    expect(await ask(redis.url, 'GET', 'kept')).toBe('yes');
    await redis.release();
  });

  it('keep a server when the one that started it leaves', async () => {
    const first = await startUser();
    const second = await startUser();
    await first.leave();
    expect(await ask(second.url, 'PING')).toBe('PONG');
    await second.leave();
  });
});

it('never stops a server that runs under another process number than the one recorded', async () => {
  await mkdir(join(dataDir, 'redis'), { recursive: true });
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
  children.push(bystander);
  const record = { socketPath: join(dataDir, 'redis', 'redis.sock'), server: { pid: bystander.pid, started: '1' } };
  await writeFile(join(dataDir, 'redis', 'server.json'), JSON.stringify(record));
  const redis = await usePrivateRedis({ dataDir, logger });
  await redis.release();
  expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
});

it('says in two lines what a person can do where there is no server program and none may be installed', async () => {
  const args = [await bundle(USER), dataDir];
  const refused = spawn(process.execPath, args, { env: { PATH: dataDir }, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors] = await Promise.all([refused.stderr.toArray(), once(refused, 'exit')]);
  expect(errors.join('')).toMatch(
    /no redis-server or valkey-server on PATH.*\n.*apt-get install redis-server.*REDIS_URL/,
  );
});

async function recorded(): Promise<{ server: ProcessIdentity; watchdog: ProcessIdentity }> {
  const text = await readFile(join(dataDir, 'redis', 'server.json'), 'utf8');
  return JSON.parse(text) as { server: ProcessIdentity; watchdog: ProcessIdentity };
}

async function ask(url: string, command: string, ...args: string[]): Promise<unknown> {
  const redis = openRedis(url, createOutageLog(logger, 'test'));
  try {
    return await redis.call(command, ...args);
  } finally {
    redis.disconnect();
  }
}

interface User {
  url: string;
  child: ChildProcess;
  leave(): Promise<void>;
  kill(): void;
}

async function startUser(): Promise<User> {
  const child = spawn(process.execPath, [await bundle(USER), dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    url: line.toString().trim(),
    child,
    async leave() {
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
    kill: () => child.kill('SIGKILL'),
  };
}
