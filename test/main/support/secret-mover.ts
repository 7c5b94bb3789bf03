import { prepareCollections } from '../../../src/main/wiring/collections.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { installationSecret } from '../../../src/main/wiring/installation-secret.ts';
import { reseal } from '../../../src/main/wiring/reseal.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import { mortalAt, readFault } from '../../support/fault-point.ts';

/**
 * A start that moves a secret out of the store, and kills itself: after the step in `DIE_AFTER`, or at the write in `CRASH_AT`. On
 * MongoDB it is moved by command. It says each step, and at its end that it lives.
 */
const config = readConfig(process.env, { allowLoopback: true });
const log = createLogger('silent');
const opened = await openStore({ mongodbUrl: config.mongodbUrl, dataDir: config.dataDir, logger: log });
await prepareCollections(opened);
const store = mortalAt(readFault(process.env['CRASH_AT']), { tellsWrites: true }).wrapStore(opened);
const reached = async (step: string) => {
  process.stdout.write(`step ${step}\n`);
  if (step !== process.env['DIE_AFTER']) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise<never>(() => undefined);
};
const made = await installationSecret({ config, store, clock: systemClock, log, reached });
if (config.mongodbUrl !== undefined)
  await reseal({ ...made, config, store, clock: systemClock, log }, { endsFormer: false });
await opened.close();
process.stdout.write('lives\n');
