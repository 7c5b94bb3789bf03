import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Router } from 'express';
import type { Logger } from '../../platform/log.ts';
import { ensureBootstrapKey } from '../../directory/bootstrap.ts';
import { a2aRoutes } from './a2a-routes.ts';
import { opening } from '../process/closers.ts';
import { compose } from './compose.ts';
import type { ComposeOptions, Core } from './compose.ts';
import type { Config } from '../config/config-shape.ts';
import { addressBook } from '../process/known-address.ts';
import { listen } from '../process/listen.ts';
import { mcpRoutes } from './mcp-routes.ts';
import { composeOAuth } from './oauth.ts';
import type { Started } from '../process/process.ts';
import { createServerApp } from './server-app.ts';

/** How long gRPC calls under way may finish when the server stops, in milliseconds. */
const GRPC_GRACE_MS = 2_000;

export interface StartedServer extends Started {
  core: Core;
  /** Where it listens, whatever it is called by. */
  listensAt: string;
  /** Says at `/readyz` that it stops, and goes on answering for `DRAIN_SECONDS`. Repeats wait for the first. */
  drain(): Promise<void>;
  /** Drains, then takes no more requests, ends the streams, and lets the other requests under way finish; the rest goes on until `stop`. */
  stopListening(): Promise<void>;
}

interface ServerOptions extends Pick<ComposeOptions, 'clock' | 'wrapStore' | 'metrics' | 'keepsStats'> {
  /** What must be done before anything is answered. */
  first?: (core: Core) => Promise<unknown>;
}

/** Starts the server's half: HTTP, on a port taken before anything else is built. */
export function startServer(
  config: Config,
  log: Logger,
  { first, ...options }: ServerOptions = {},
): Promise<StartedServer> {
  return opening(async (closers) => {
    const listening = await listen(config.host, config.port);
    // Added first and closed last, unless it was stopped before.
    closers.add(() => listening.stop());
    const core = await compose({ ...options, config, log, baseUrl: config.publicUrl ?? listening.url });
    closers.add(() => core.close());
    const [draining, stopping] = [new AbortController(), new AbortController()];
    // Every stream of the console and of the registry's feed listens.
    setMaxListeners(0, stopping.signal);
    const oauth = await composeOAuth(core);
    const a2a = await a2aRoutes(core, oauth, stopping.signal);
    const mcp = mcpRoutes(core, oauth, stopping.signal, a2a);
    const app = await createServerApp(core, oauth, Router().use(a2a.router, mcp), {
      draining: draining.signal,
      stopping: stopping.signal,
    });
    const book = addressBook(core.store);
    await book.say(core.baseUrl);
    if (config.bootstrapApiKey !== undefined) await fillBootstrapSlot(core, config.bootstrapApiKey);
    await core.webhooks.keys.signer();
    await first?.(core);
    const grpc = await a2a.startGrpc();
    let drained: Promise<void> | undefined;
    const drain = () => {
      draining.abort();
      listening.drain();
      return (drained ??= config.drainMs === 0 ? Promise.resolve() : delay(config.drainMs));
    };
    const stopListening = async () => {
      await drain();
      stopping.abort();
      await Promise.all([listening.stop(), grpc?.stop(GRPC_GRACE_MS)]);
    };
    closers.add(stopListening);
    listening.answer(app);
    return { core, listensAt: listening.url, drain, stopListening, stop: () => closers.close() };
  });
}

async function fillBootstrapSlot(core: Core, rawKey: string): Promise<void> {
  const { revoked_at, api_key_id } = await ensureBootstrapKey(core, rawKey);
  if (revoked_at !== null) {
    core.log.warn({ api_key_id, revoked_at }, 'BOOTSTRAP_API_KEY has been revoked and opens nothing; choose a new one');
  }
}
