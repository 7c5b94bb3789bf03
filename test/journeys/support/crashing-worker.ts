import { compose } from '../../../src/main/compose.ts';
import { readConfig } from '../../../src/main/config.ts';
import { startWork } from '../../../src/main/worker-process.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { withStoreHooks } from '../../support/store-hooks.ts';
import type { StoreWrite } from '../../support/store-hooks.ts';

/**
 * A worker that kills itself, as `kill -9` would, before, during or after its n-th write of the story: `CRASH_AT` is
 * such as `during:3`. "During" is while the write is under way, its outcome unknown to the process.
 */
const [moment, count] = (process.env['CRASH_AT'] ?? '').split(':');
const n = Number(count);
/** Writes that are part of starting up, not of the story. */
const NOT_COUNTED = new Set(['secrets', 'signing_keys', 'api_keys', 'organizations']);
let seen = 0;
const chosen = new Set<StoreWrite>();

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<never>(() => undefined);
}

const config = readConfig(process.env, { allowLoopback: true });
const log = createLogger(config.logLevel);
const core = await compose({
  config,
  log,
  baseUrl: config.publicUrl ?? '',
  wrapStore: (store) =>
    withStoreHooks(store, {
      before(write) {
        if (NOT_COUNTED.has(write.collection) || ++seen !== n) return undefined;
        chosen.add(write);
        if (moment === 'before') return die();
        // The store is busy with it when this fires.
        if (moment === 'during') setImmediate(() => void die());
        return undefined;
      },
      after: (write) => (moment === 'after' && chosen.has(write) ? die() : undefined),
    }),
});
startWork(core);
process.stdout.write('{"ready":true}\n');
