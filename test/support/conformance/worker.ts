import { runProcess } from '../../../src/main/process.ts';
import { printLine } from '../../../src/main/ready.ts';
import { startWork } from '../../../src/main/worker-process.ts';
import { composeWithConformance } from './core.ts';

/** The real worker, which knows the conformance skill. */
await runProcess({ allowLoopback: true }, async (config, log) => {
  const core = await composeWithConformance(config, log, config.publicUrl ?? 'http://127.0.0.1');
  await core.store.prepare();
  const work = startWork(core);
  printLine({ ready: true });
  return {
    async stop() {
      await work.stop();
      await core.close();
    },
  };
});
