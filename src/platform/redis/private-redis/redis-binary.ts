import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../log.ts';

const NAMES = ['redis-server', 'valkey-server'];

/** There is no server program, and this process may not install one. The message is for the person at the terminal. */
class MissingRedisError extends Error {
  constructor() {
    super(
      'no redis-server or valkey-server on PATH, and it cannot be installed from here (that takes apt-get and root)\n' +
        'install one (such as: sudo apt-get install redis-server), or set REDIS_URL to a Redis that may be used',
    );
    this.name = 'MissingRedisError';
  }
}

/**
 * The server program on PATH; on Debian as root it is installed first when missing, without starting a service.
 * @throws {MissingRedisError} when there is none.
 */
export function redisBinary(logger: Logger): string {
  const present = NAMES.find(runs);
  if (present !== undefined) return present;
  if (process.getuid?.() !== 0 || !runs('apt-get')) throw new MissingRedisError();
  logger.info('installing redis-server with apt-get');
  const script = fileURLToPath(new URL('install-redis.sh', import.meta.url));
  const installed = spawnSync('sh', [script], { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  const binary = NAMES.find(runs);
  if (binary === undefined) {
    logger.error(
      { output: `${installed.stdout}${installed.stderr}`.slice(-2000) },
      'apt-get could not install redis-server',
    );
    throw new MissingRedisError();
  }
  return binary;
}

function runs(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}
