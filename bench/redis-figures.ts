import { Redis } from 'ioredis';

/** What a Redis has done since its start. */
export interface RedisFigures {
  /** Those inside scripts counted. */
  commands: number;
  scripts: number;
  cpuMicros: number;
  memoryBytes: number;
}

/** Looks at a Redis from beside: its own looks are not counted. */
export interface RedisLook {
  read(): Promise<RedisFigures>;
  /** Has it forget everything. */
  flush(): Promise<void>;
  close(): void;
}

export function lookAtRedis(url: string): RedisLook {
  const redis = new Redis(url.replace('unix://', ''));
  return {
    async read() {
      const commands = linesOf(await redis.info('commandstats')).map(
        ([name, facts]) => [name.replace('cmdstat_', ''), Number(/calls=(\d+)/.exec(facts)?.[1] ?? 0)] as const,
      );
      const all = new Map([...linesOf(await redis.info('cpu')), ...linesOf(await redis.info('memory'))]);
      const sum = (wanted: (name: string) => boolean) =>
        commands.reduce((total, [name, calls]) => (wanted(name) ? total + calls : total), 0);
      const seconds = Number(all.get('used_cpu_user')) + Number(all.get('used_cpu_sys'));
      return {
        commands: sum((name) => name !== 'info'),
        scripts: sum((name) => name === 'evalsha' || name === 'eval'),
        cpuMicros: seconds * 1e6,
        memoryBytes: Number(all.get('used_memory')),
      };
    },
    async flush() {
      await redis.flushall();
    },
    close() {
      redis.disconnect();
    },
  };
}

function linesOf(info: string): [name: string, value: string][] {
  return info.split('\r\n').flatMap((line) => {
    const [, name, value] = /^([^#:]+):(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] satisfies [string, string]];
  });
}
