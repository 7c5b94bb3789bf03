import { CARD_PATH, isJsonWanted, printLine } from './ready.ts';
import { runProcess } from './process.ts';
import { startServer } from './start-server.ts';

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
  return started;
});
