import { followAddress } from '../../../src/main/process/follow-address.ts';
import { runProcess } from '../../../src/main/process/process.ts';
import { printLine } from '../../../src/main/process/ready.ts';
import { openWorker } from '../../../src/main/wiring/worker-process.ts';
import { composeWithConformance } from './core.ts';

/** The real worker, which knows the conformance skill. */
await runProcess({ allowLoopback: true }, async (config, log) => {
  const worker = await followAddress(config, log, (baseUrl) =>
    openWorker(() => composeWithConformance(config, log, baseUrl)),
  );
  printLine({ ready: true });
  return worker;
});
