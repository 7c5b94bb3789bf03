import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readConfig } from '../src/main/config/config.ts';
import { seedRegistry } from '../src/main/wiring/registry-seed.ts';
import { startServer } from '../src/main/wiring/start-server.ts';
import { createLogger } from '../src/platform/log.ts';
import { countWrites } from './counted-writes.ts';

/** How often the event loop is looked at. */
const LOOK_EVERY_MS = 1;

/** The process that plants a seed, for the benchmark of it: says in a line of JSON what that took. */
const { core } = await startServer(readConfig(process.env, { allowLoopback: true }), createLogger('error'));
const { store, writes } = countWrites(core.store);
const delay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
delay.enable();
const [began, usage] = [performance.now(), process.cpuUsage()];
const planted = await seedRegistry({ ...core, store });
const { user, system } = process.cpuUsage(usage);
const ms = performance.now() - began;
console.log(
  JSON.stringify({
    ...{ planted, ms, cpu: (user + system) / 1000, writes: writes() },
    stall: Math.max(0, delay.max / 1e6 - LOOK_EVERY_MS),
  }),
);
process.exit(0);
