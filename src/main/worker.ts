import { createMetrics } from '../platform/metrics/metrics.ts';
import { compose } from './wiring/compose.ts';
import { opening } from './process/closers.ts';
import { followAddress } from './process/follow-address.ts';
import { openMetricsPort } from './process/metrics-port.ts';
import { runProcess } from './process/process.ts';
import { isJsonWanted, printLine } from './process/ready.ts';
import { openWorker } from './wiring/worker-process.ts';

/** Does the work of one installation, in a process of its own. */
await runProcess({ allowLoopback: false }, (config, log) =>
  opening(async (closers) => {
    const metrics = createMetrics();
    const shown = await openMetricsPort(config, metrics);
    closers.add(() => shown?.stop());
    const worker = await followAddress(config, log, (baseUrl) =>
      openWorker(() => compose({ config, log, metrics, baseUrl })),
    );
    closers.add(() => worker.stop());
    if (isJsonWanted()) printLine({ ready: true, ...(shown && { metrics_url: shown.url }) });
    else process.stdout.write(`worker ready\n  store  ${worker.inUse.store}\n  queue  ${worker.inUse.queue}\n`);
    return { stop: () => closers.close() };
  }),
);
