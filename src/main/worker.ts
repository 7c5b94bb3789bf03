import { compose } from './wiring/compose.ts';
import { followAddress } from './process/follow-address.ts';
import { runProcess } from './process/process.ts';
import { isJsonWanted, printLine } from './process/ready.ts';
import { openWorker } from './wiring/worker-process.ts';

/** Does the work of one installation, in a process of its own. */
await runProcess({ allowLoopback: false }, async (config, log) => {
  const worker = await followAddress(config, log, (baseUrl) => openWorker(() => compose({ config, log, baseUrl })));
  if (isJsonWanted()) printLine({ ready: true });
  else process.stdout.write(`worker ready\n  store  ${worker.inUse.store}\n  queue  ${worker.inUse.queue}\n`);
  return worker;
});
