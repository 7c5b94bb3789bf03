import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { CollectionSpec, Store } from '../store/collection.ts';
import type { Sealer } from './sealer.ts';

const StoredSecret = z.object({
  name: z.string(),
  value: z.string(),
  created_at: z.string(),
  revision: z.number().int(),
});
type StoredSecret = z.infer<typeof StoredSecret>;

/**
 * What the installation made for itself and all its processes share. Nothing here seals: what 0.1.0 sealed with and kept here,
 * under `sealing`, is moved out (rule S4), and a copy of it opens by the present secret alone.
 */
export const secrets: CollectionSpec<StoredSecret> = {
  name: 'secrets',
  key: 'name',
  schema: StoredSecret,
  indexes: [],
};

const SEALING = 'sealing';
const SEALED_WITH = 'sealed_with';
const FORMER = 'former';
/** What a former secret is sealed for. */
export const SEALED_FOR_LATER = 'former secret';

/** The secret that 0.1.0 made for itself and sealed with, while it is in the store. */
export async function leftSecret(store: Store): Promise<string | undefined> {
  return (await store.collection(secrets).get(SEALING))?.value;
}

/** Takes it out of the store; there is no other copy there. */
export async function forgetLeftSecret(store: Store): Promise<void> {
  await store.collection(secrets).delete(SEALING);
}

/** Keeps a former secret where it opens what it sealed, itself sealed by the present one. Repeats change nothing. */
export async function keepFormerSecret(
  { store, clock, sealer }: { store: Store; clock: Clock; sealer: Sealer },
  secret: string,
): Promise<void> {
  const value = sealer.seal(secret, SEALED_FOR_LATER);
  await store.collection(secrets).insert({ name: FORMER, value, created_at: toTimestamp(clock.now()), revision: 1 });
}

/** The secret so kept. @throws {Error} when this sealer does not open it. */
export async function formerSecret(store: Store, sealer: Sealer): Promise<string | undefined> {
  const row = await store.collection(secrets).get(FORMER);
  return row && sealer.open(row.value, SEALED_FOR_LATER);
}

/** Ends it: what it sealed opens no more, and what it proved is proved no more, once processes that read it start again. */
export async function forgetFormerSecret(store: Store): Promise<void> {
  await store.collection(secrets).delete(FORMER);
}

/** The id of the key that everything in this store is known to be sealed with, if that is known. */
export async function sealedWith(store: Store): Promise<string | undefined> {
  return (await store.collection(secrets).get(SEALED_WITH))?.value;
}

/** Notes that everything is sealed with the key of this id. */
export async function noteSealedWith(store: Store, clock: Clock, keyId: string): Promise<void> {
  const rows = store.collection(secrets);
  const created_at = toTimestamp(clock.now());
  const { inserted } = await rows.insert({ name: SEALED_WITH, value: keyId, created_at, revision: 1 });
  if (!inserted) await rows.update(SEALED_WITH, (row) => ({ ...row, value: keyId, created_at }));
}

/**
 * A value that the installation makes once: 256 random bits in base64url; of several processes that start at once the first
 * decides. Whoever can read the store can read it.
 */
export async function loadOrCreateSecret(store: Store, clock: Clock, name: string): Promise<string> {
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
