/** The one Redis command the kit needs, as ioredis offers it. For node-redis: `(s, n, ...a) => client.eval(s, {…})`. */
export interface RedisClient {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

/** Where in Redis the kit keeps its keys unless told otherwise. */
export const DEFAULT_REDIS_PREFIX = 'webhook-receiver:';
