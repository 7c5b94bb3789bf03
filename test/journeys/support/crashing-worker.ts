import { compose } from '../../../src/main/wiring/compose.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { startWork } from '../../../src/main/wiring/worker-process.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { mortalAt, readFault } from '../../support/fault-point.ts';

/** A worker that kills itself at the fault point in `CRASH_AT`, and lives when there is none. It says what it writes. */
const mortal = mortalAt(readFault(process.env['CRASH_AT']), {
  // Writes that are part of starting up, and sums of days, which have deaths of their own: not of the story.
  uncounted: ['secrets', 'signing_keys', 'api_keys', 'organizations', 'turnover_marks', 'turnover_days'],
  tellsWrites: true,
});
const config = readConfig(process.env, { allowLoopback: true });
const log = createLogger(config.logLevel);
const core = await compose({
  config,
  log,
  baseUrl: config.publicUrl ?? '',
  wrapStore: (store) => mortal.wrapStore(store),
  wrapOutbound: (outbound) => mortal.wrapOutbound(outbound),
});
startWork(core);
