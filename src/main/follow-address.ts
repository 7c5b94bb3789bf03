import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../platform/log.ts';
import { openStore } from '../platform/store.ts';
import { opening } from './closers.ts';
import type { Config } from './config.ts';
import { addressBook } from './known-address.ts';
import { addressOf } from './listen.ts';
import type { Started } from './process.ts';

/** After a failure, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Starts something that must know the agent's address: `PUBLIC_URL` when set, else what the servers on the same store
 * said last, and until one has spoken the address that `HOST` and `PORT` give. When a server says another, what was
 * started is stopped and started anew.
 */
export function followAddress<T extends Started>(
  config: Config,
  log: Logger,
  start: (baseUrl: string) => Promise<T>,
): Promise<T> {
  if (config.publicUrl !== undefined) return start(config.publicUrl);
  return opening(async (closers) => {
    const store = await openStore({ mongodbUrl: config.mongodbUrl, dataDir: config.dataDir, logger: log });
    closers.add(() => store.close());
    const book = addressBook(store);
    await store.prepare();
    let baseUrl = (await book.read()) ?? addressOf(config.host, config.port);
    const first = await start(baseUrl);
    let running: Started = first;
    const stopping = new AbortController();

    async function follow(): Promise<void> {
      const next = await book.changed(baseUrl, stopping.signal);
      log.info({ base_url: next }, 'the agent has a new address');
      await running.stop();
      running = await start(next);
      baseUrl = next;
    }

    async function keepFollowing(): Promise<void> {
      while (!stopping.signal.aborted) {
        await follow().catch(async (error: unknown) => {
          if (stopping.signal.aborted) return;
          log.warn({ err: error }, 'following the address of the agent failed; trying again');
          await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
        });
      }
    }

    const following = keepFollowing();
    closers.add(async () => {
      stopping.abort();
      await following;
      await running.stop();
    });
    return { ...first, stop: () => closers.close() };
  });
}
