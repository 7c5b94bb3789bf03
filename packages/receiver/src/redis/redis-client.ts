import { sha256, utf8 } from '../wire/bytes.ts';
import { encodeToken } from '../wire/tokens.ts';

/** A client of ioredis, as far as it is used. */
export interface IoredisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

/** A client of node-redis (the package `redis`), as far as it is used. */
export interface NodeRedisClient {
  readonly isOpen: boolean;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Either of the two usual clients. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** Where in Redis the keys stand unless told otherwise. */
export const DEFAULT_REDIS_PREFIX = 'webhook-receiver:';

/** Runs a script with either client's spelling. */
export function evalIn(
  redis: RedisClient,
  script: string,
  keys: readonly string[],
  args: readonly (string | number)[],
): Promise<unknown> {
  if ('isOpen' in redis) return redis.eval(script, { keys: [...keys], arguments: args.map(String) });
  return redis.eval(script, keys.length, ...keys, ...args);
}

/** A short text that stands for a long one in a key's name. */
export async function shortHash(text: string): Promise<string> {
  return encodeToken(await sha256(utf8(text)));
}
