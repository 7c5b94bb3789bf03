import type { Logger } from '../platform/log.ts';
import { ensureBootstrapKey } from '../directory/bootstrap.ts';
import { opening } from './closers.ts';
import { compose } from './compose.ts';
import type { ComposeOptions, Core } from './compose.ts';
import type { Config } from './config.ts';
import { listen } from './listen.ts';
import type { Started } from './process.ts';
import { createServerApp } from './server-app.ts';

export interface StartedServer extends Started {
  core: Core;
  /** Takes no more requests, and ends those under way; the rest goes on until `stop`. */
  stopListening(): Promise<void>;
}

/** Starts the server's half: HTTP, on a port taken before anything else is built. */
export function startServer(
  config: Config,
  log: Logger,
  options: Pick<ComposeOptions, 'wrapStore'> = {},
): Promise<StartedServer> {
  return opening(async (closers) => {
    const listening = await listen(config.host, config.port);
    // Added first and closed last, unless it was stopped before.
    closers.add(() => listening.stop());
    const core = await compose({ ...options, config, log, baseUrl: config.publicUrl ?? listening.url });
    closers.add(() => core.close());
    const app = await createServerApp(core);
    await core.store.prepare();
    if (config.bootstrapApiKey !== undefined) await ensureBootstrapKey(core, config.bootstrapApiKey);
    await core.webhooks.keys.signer();
    closers.add(() => listening.stop());
    listening.answer(app);
    return { core, stopListening: () => listening.stop(), stop: () => closers.close() };
  });
}
