import type { Logger } from '../platform/log.ts';
import { ensureBootstrapKey } from '../directory/bootstrap.ts';
import { compose } from './compose.ts';
import type { ComposeOptions, Core } from './compose.ts';
import type { Config } from './config.ts';
import { listen } from './listen.ts';
import type { Started } from './process.ts';
import { createServerApp } from './server-app.ts';

export interface StartedServer extends Started {
  core: Core;
}

/** Starts the server's half: HTTP, on a port taken before anything else is built. */
export async function startServer(
  config: Config,
  log: Logger,
  options: Pick<ComposeOptions, 'wrapStore'> = {},
): Promise<StartedServer> {
  const listening = await listen(config.host, config.port);
  try {
    const core = await compose({ ...options, config, log, baseUrl: config.publicUrl ?? listening.url });
    const app = await createServerApp(core);
    await core.store.prepare();
    if (config.bootstrapApiKey !== undefined) await ensureBootstrapKey(core, config.bootstrapApiKey);
    await core.webhooks.keys.signer();
    listening.answer(app);
    const stop = async () => {
      await listening.stop();
      await core.close();
    };
    return { core, stop };
  } catch (error) {
    await listening.stop();
    throw error;
  }
}
