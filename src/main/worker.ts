import { compose } from './compose.ts';
import type { Config } from './config.ts';
import { opening } from './closers.ts';
import { followAddress } from './follow-address.ts';
import { runProcess } from './process.ts';
import type { Started } from './process.ts';
import { isJsonWanted, printLine } from './ready.ts';
import { startWork } from './worker-process.ts';
import type { Logger } from '../platform/log.ts';

/** Does the work of one installation, in a process of its own. */
await runProcess({ allowLoopback: false }, async (config, log) => {
  const worker = await followAddress(config, log, (baseUrl) => startWorker(config, log, baseUrl));
  if (isJsonWanted()) printLine({ ready: true });
  else process.stdout.write(`worker ready\n  store  ${worker.inUse.store}\n  queue  ${worker.inUse.queue}\n`);
  return worker;
});

interface Worker extends Started {
  inUse: { store: string; queue: string };
}

function startWorker(config: Config, log: Logger, baseUrl: string): Promise<Worker> {
  return opening(async (closers) => {
    const core = await compose({ config, log, baseUrl });
    closers.add(() => core.close());
    const work = startWork(core);
    closers.add(() => work.stop());
    return { inUse: core.inUse, stop: () => closers.close() };
  });
}
