import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { CollectionSpec, Store } from '../store/collection.ts';

const StoredSecret = z.object({
  name: z.string(),
  value: z.string(),
  created_at: z.string(),
  revision: z.number().int(),
});
type StoredSecret = z.infer<typeof StoredSecret>;

/** Secrets the installation made for itself because none was configured. */
export const secrets: CollectionSpec<StoredSecret> = {
  name: 'secrets',
  key: 'name',
  schema: StoredSecret,
  indexes: [],
};

/** The secret that the installation made for itself, if it ever did. */
export async function readSecret(store: Store, name = 'sealing'): Promise<string | undefined> {
  return (await store.collection(secrets).get(name))?.value;
}

/**
 * The installation's own secret when no `SECRET_KEY` is configured: 256 random bits in base64url, made once; of
 * several processes that start at once the first decides. Whoever can read the store can read it, so a deployment
 * that keeps real credentials configures its own.
 */
export async function loadOrCreateSecret(store: Store, clock: Clock, name = 'sealing'): Promise<string> {
  const collection = store.collection(secrets);
  const existing = await collection.get(name);
  if (existing) return existing.value;
  const row = {
    name,
    value: randomBytes(32).toString('base64url'),
    created_at: toTimestamp(clock.now()),
    revision: 1,
  };
  const result = await collection.insert(row);
  if (result.inserted) return row.value;
  const winner = await collection.get(name);
  if (!winner) throw new Error(`secret ${name} vanished while it was being made`);
  return winner.value;
}
