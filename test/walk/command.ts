import { mkdtemp, rm } from 'node:fs/promises';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLogger } from '../../src/platform/log.ts';
import { usePrivateRedis } from '../../src/platform/redis/private-redis.ts';
import { walk } from './support/walk.ts';

/** `npm run walk -- [--seed TEXT] [--steps N] [--minutes N] [--store sqlite|mongodb] [--verbose]`: see CONTRIBUTING.md. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    steps: { type: 'string', default: '1000' },
    minutes: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
    verbose: { type: 'boolean', default: false },
  },
});
const steps = Number(values.steps);
const untilMs = values.minutes === undefined ? undefined : Date.now() + Number(values.minutes) * 60_000;
const store = values.store === 'mongodb' ? 'mongodb' : 'sqlite';

const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-walk-'));
const redis = await usePrivateRedis({ dataDir: dir, logger: createLogger('warn') });
process.env['REDIS_TEST_URL'] = redis.url;
let failed = 0;
try {
  do {
    const seed = values.seed ?? String(randomInt(2 ** 32));
    const beganMs = Date.now();
    console.log(`seed ${seed}, ${steps} steps on ${store}`);
    try {
      const walked = await walk({ store, seed, steps, ...(values.verbose && { onStep: console.log }) });
      console.log(`held, in ${Math.round((Date.now() - beganMs) / 1000)} s: ${JSON.stringify(walked)}`);
    } catch (error) {
      failed += 1;
      console.error(
        `seed ${seed} has failed ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      if (error instanceof Error && error.cause instanceof Error) console.error(error.cause.stack);
    }
  } while (untilMs !== undefined && values.seed === undefined && Date.now() < untilMs);
} finally {
  await redis.release();
  await rm(dir, { recursive: true, force: true });
}
console.log(failed === 0 ? 'every walk held' : `${failed} walks have failed`);
// Processes that were killed in play hang for ever.
process.exit(failed === 0 ? 0 : 1);
