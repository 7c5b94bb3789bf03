import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';

const KnownAddress = z.object({ name: z.string(), base_url: z.string(), revision: z.number().int() });
type KnownAddress = z.infer<typeof KnownAddress>;

export const KnownAddresses: CollectionSpec<KnownAddress> = {
  name: 'known_addresses',
  key: 'name',
  schema: KnownAddress,
  indexes: [],
};

/** One installation has one address, however many servers it has: the one that was said last. */
const NAME = 'agent';

/** How often a change is looked for, in milliseconds. */
const LOOK_EVERY_MS = 250;

/**
 * What buyers call this agent by, as its servers said it last. Only a server that listens knows it when no `PUBLIC_URL` is
 * set, and workers must name the same.
 */
export interface AddressBook {
  /** A server says where it is reached. */
  say(base_url: string): Promise<void>;
  /** Undefined until a server has said it. */
  read(): Promise<string | undefined>;
  /**
   * Resolves with the address once it is another one than `known`, undefined for none yet. @throws when the store is
   * away, or `signal` aborts.
   */
  changed(known: string | undefined, signal: AbortSignal): Promise<string>;
}

export function addressBook(store: Store): AddressBook {
  const rows = store.collection(KnownAddresses);

  async function say(base_url: string): Promise<void> {
    const { inserted } = await rows.insert({ name: NAME, base_url, revision: 1 });
    if (!inserted) await rows.update(NAME, (row) => (row.base_url === base_url ? undefined : { ...row, base_url }));
  }

  async function read(): Promise<string | undefined> {
    return (await rows.get(NAME))?.base_url;
  }

  async function changed(known: string | undefined, signal: AbortSignal): Promise<string> {
    for (;;) {
      const now = await read();
      if (now !== undefined && now !== known) return now;
      await delay(LOOK_EVERY_MS, undefined, { signal });
    }
  }

  return { say, read, changed };
}
