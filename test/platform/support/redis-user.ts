import { createLogger } from '../../../src/platform/log.ts';
import { usePrivateRedis } from '../../../src/platform/redis/private-redis.ts';

/** A process of its own that uses the private Redis of the folder it is given, until its standard input ends. */
const redis = await usePrivateRedis({ dataDir: process.argv[2] ?? '', logger: createLogger('warn') });
console.log(redis.url);
process.stdin.on('end', () => void redis.release().then(() => process.exit(0)));
process.stdin.resume();
