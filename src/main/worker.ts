import { opening } from './closers.ts';
import { compose } from './compose.ts';
import { addressOf } from './listen.ts';
import { runProcess } from './process.ts';
import { isJsonWanted, printLine } from './ready.ts';
import { startWork } from './worker-process.ts';

await runProcess({ allowLoopback: false }, (config, log) =>
  opening(async (closers) => {
    const baseUrl = config.publicUrl ?? addressOf(config.host, config.port);
    const core = await compose({ config, log, baseUrl });
    closers.add(() => core.close());
    const work = startWork(core);
    closers.add(() => work.stop());
    if (isJsonWanted()) printLine({ ready: true });
    else process.stdout.write(`worker ready\n  store  ${core.inUse.store}\n  queue  ${core.inUse.queue}\n`);
    return { stop: () => closers.close() };
  }),
);
