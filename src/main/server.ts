import type { Core } from './wiring/compose.ts';
import { CARD_PATH, isJsonWanted, printLine } from './process/ready.ts';
import { runProcess } from './process/process.ts';
import { operatorKey } from './wiring/operator-routes.ts';
import { removeRunning, writeRunning } from './process/running-file.ts';
import { startServer } from './wiring/start-server.ts';

await runProcess({ allowLoopback: false }, async (config, log) => {
  const started = await startServer(config, log);
  const { baseUrl, inUse } = started.core;
  const card_url = `${baseUrl}${CARD_PATH}`;
  if (isJsonWanted())
    printLine({ ready: true, base_url: baseUrl, card_url, console_url: `${baseUrl}/admin`, ...inUse });
  else
    process.stdout.write(
      `server ready\n  agent card  ${card_url}\n  store       ${inUse.store}\n  queue       ${inUse.queue}\n`,
    );
  await tellAgentCommand(started.core);
  return {
    async stop() {
      await removeRunning(config.dataDir, process.pid);
      await started.stop();
    },
  };
});

/** What npm run agent finds the server by. A server that may not write there does without. */
async function tellAgentCommand(core: Core): Promise<void> {
  const running = { pid: process.pid, base_url: core.baseUrl, operator_key: await operatorKey(core) };
  await writeRunning(core.config.dataDir, running).catch((error: unknown) => {
    core.log.warn({ err: error }, 'DATA_DIR cannot be written; npm run agent needs --url and --key');
  });
}
