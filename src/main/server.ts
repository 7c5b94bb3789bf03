import { retireDemoKey } from '../directory/bootstrap.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import type { Core } from './wiring/compose.ts';
import { readinessOf } from './health/readiness-of.ts';
import { opening } from './process/closers.ts';
import { openMetricsPort } from './process/metrics-port.ts';
import { CARD_PATH, howToSignIn, isJsonWanted, printLine } from './process/ready.ts';
import { runProcess } from './process/process.ts';
import { operatorKey } from './wiring/operator-routes.ts';
import { seedRegistry } from './wiring/registry-seed.ts';
import { removeRunning, writeRunning } from './process/running-file.ts';
import { startServer } from './wiring/start-server.ts';

await runProcess({ allowLoopback: false }, (config, log) =>
  opening(async (closers) => {
    const metrics = createMetrics();
    const shown = await openMetricsPort(config, metrics);
    closers.add(() => shown?.stop());
    const started = await startServer(config, log, { metrics, keepsStats: true, first: seedRegistry });
    shown?.watch(() => readinessOf(started.core));
    closers.add(() => {
      shown?.leave();
      return started.stop();
    });
    await retireDemoKey(started.core);
    const { baseUrl, inUse } = started.core;
    const [card_url, console_url] = [`${baseUrl}${CARD_PATH}`, `${baseUrl}/admin`];
    const metrics_url = shown && { metrics_url: shown.url };
    if (isJsonWanted())
      printLine({
        ready: true,
        base_url: baseUrl,
        listens_at: started.listensAt,
        card_url,
        console_url,
        ...inUse,
        ...metrics_url,
      });
    else
      process.stdout.write(
        `server ready\n  agent card  ${card_url}\n  console     ${console_url}\n  sign in     npm run -s agent -- ${howToSignIn(config)}   (at this machine)\n  store       ${inUse.store}\n  queue       ${inUse.queue}\n`,
      );
    closers.add(() => removeRunning(config.dataDir, process.pid));
    await tellAgentCommand(started.core);
    return { stop: () => closers.close() };
  }),
);

/** What npm run agent finds the server by. A server that may not write there does without. */
async function tellAgentCommand(core: Core): Promise<void> {
  const running = { pid: process.pid, base_url: core.baseUrl, operator_key: await operatorKey(core) };
  await writeRunning(core.config.dataDir, running).catch((error: unknown) => {
    core.log.warn({ err: error }, 'DATA_DIR cannot be written; npm run agent needs --url and --key');
  });
}
