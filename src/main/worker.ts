import { createMetrics } from '../platform/metrics/metrics.ts';
import { compose } from './wiring/compose.ts';
import { readinessOf } from './health/readiness-of.ts';
import { opening } from './process/closers.ts';
import { followAddress } from './process/follow-address.ts';
import { openMetricsPort } from './process/metrics-port.ts';
import { runProcess } from './process/process.ts';
import { isJsonWanted, printLine } from './process/ready.ts';
import { openWorker } from './wiring/worker-process.ts';

/** Work under way has so long to finish at least, in milliseconds. */
const LEAST_GRACE_MS = 3_000;

/** Does the work of one installation, in a process of its own. */
await runProcess({ allowLoopback: false }, (config, log) =>
  opening(async (closers) => {
    const metrics = createMetrics();
    const shown = await openMetricsPort(config, metrics);
    closers.add(() => shown?.stop());
    const worker = await followAddress(config, log, (baseUrl) =>
      openWorker(
        async () => {
          const core = await compose({ config, log, metrics, baseUrl, keepsStats: true });
          shown?.watch(() => readinessOf(core));
          return core;
        },
        { graceMs: Math.max(LEAST_GRACE_MS, config.drainMs) },
      ),
    );
    closers.add(() => {
      shown?.leave();
      return worker.stop();
    });
    if (isJsonWanted()) printLine({ ready: true, ...(shown && { metrics_url: shown.url }) });
    else process.stdout.write(`worker ready\n  store  ${worker.inUse.store}\n  queue  ${worker.inUse.queue}\n`);
    return { stop: () => closers.close() };
  }),
);
