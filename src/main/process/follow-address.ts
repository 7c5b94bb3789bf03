import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../platform/store/collection.ts';
import type { Logger } from '../../platform/log.ts';
import { openStore } from '../../platform/store/store.ts';
import { opening } from './closers.ts';
import type { Config } from '../config/config-shape.ts';
import { addressBook } from './known-address.ts';
import { addressOf } from './listen.ts';
import type { Started } from './process.ts';

/** After a failure, in milliseconds. */
const RETRY_MS = 1_000;

/** Opened under one address and idle, until it is told to work. */
export interface Workable extends Started {
  work(): void;
}

/**
 * Opens something that must know the agent's address, and has it work under that: `PUBLIC_URL` when set, else what the
 * servers on the same store said last. Before any has spoken, it is opened under the address that `HOST` and `PORT` give,
 * so that mistakes show at once, and waits. When a server says another address, it is stopped and opened anew.
 * @param openedStore The installation's store, where the caller has it open; it stays open.
 */
export async function followAddress<T extends Workable>(
  config: Config,
  log: Logger,
  open: (baseUrl: string) => Promise<T>,
  openedStore?: Store,
): Promise<T> {
  if (config.publicUrl !== undefined) {
    const opened = await open(config.publicUrl);
    opened.work();
    return opened;
  }
  return opening(async (closers) => {
    const store =
      openedStore ?? (await openStore({ mongodbUrl: config.mongodbUrl, dataDir: config.dataDir, logger: log }));
    if (openedStore === undefined) closers.add(() => store.close());
    const book = addressBook(store);
    await store.prepare();
    /** What it works under; undefined while it does not. */
    let said = await book.read();
    let openedUnder: string | undefined = said ?? addressOf(config.host, config.port);
    const first = await open(openedUnder);
    let opened: Workable = first;
    if (said !== undefined) opened.work();
    else log.warn('waiting for a server to say where buyers reach the agent; PUBLIC_URL says it too');
    const stopping = new AbortController();

    async function follow(): Promise<void> {
      const next = await book.changed(said, stopping.signal);
      log.info({ base_url: next }, said === undefined ? 'the agent has an address' : 'the agent has a new address');
      if (next !== openedUnder) {
        said = openedUnder = undefined;
        await opened.stop().catch((error: unknown) => {
          log.warn({ err: error }, 'not all was closed');
        });
        opened = await open(next);
        openedUnder = next;
      }
      opened.work();
      said = next;
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
      await opened.stop();
    });
    return { ...first, stop: () => closers.close() };
  });
}
