import { compose } from './compose.ts';
import { runProcess } from './process.ts';
import { isJsonWanted, printLine } from './ready.ts';
import { startWork } from './worker-process.ts';

await runProcess({ allowLoopback: false }, async (config, log) => {
  const baseUrl = config.publicUrl ?? `http://${config.host}:${config.port}`;
  const core = await compose({ config, log, baseUrl });
  const work = startWork(core);
  if (isJsonWanted()) printLine({ ready: true });
  else process.stdout.write(`worker ready\n  store  ${core.inUse.store}\n  queue  ${core.inUse.queue}\n`);
  return {
    async stop() {
      await work.stop();
      await core.close();
    },
  };
});
