import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CollectionSpec, Store } from '../../platform/store/collection.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';

const OperatorKey = z.strictObject({
  name: z.string(),
  sealed_key: z.string(),
  created_at: z.string(),
  revision: z.int(),
});
type OperatorKey = z.infer<typeof OperatorKey>;

/** The key that the installation made for its operator, sealed. */
export const operatorKeys: CollectionSpec<OperatorKey> = {
  name: 'operator_keys',
  key: 'name',
  schema: OperatorKey,
  indexes: [],
};

const NAME = 'operator';
/** In place of a sealed key: opens for nobody. */
const RETIRED = '';
/** What the operator's key is sealed for. */
export const SEALED_FOR_OPERATOR = 'operator key';

export interface OperatorKeyDeps {
  store: Store;
  clock: Clock;
  sealer: Sealer;
}

/**
 * The operator's key where none is configured: 256 random bits, made once; of several processes that start at once the
 * first decides. One that the present secret cannot open any more is replaced.
 */
export async function loadOrCreateOperatorKey({ store, clock, sealer }: OperatorKeyDeps): Promise<string> {
  const keys = store.collection(operatorKeys);
  for (;;) {
    const row = await keys.get(NAME);
    const known = row && opened(sealer, row);
    if (known !== undefined) return known;
    const sealed_key = sealer.seal(`op_live_${randomBytes(32).toString('base64url')}`, SEALED_FOR_OPERATOR);
    const created_at = toTimestamp(clock.now());
    if (row === undefined) await keys.insert({ name: NAME, sealed_key, created_at, revision: 1 });
    else await keys.replace({ ...row, sealed_key, created_at });
  }
}

/** Whether the installation has made such a key that is not retired. */
export async function hasOperatorKey(store: Store): Promise<boolean> {
  const row = await store.collection(operatorKeys).get(NAME);
  return row !== undefined && row.sealed_key !== RETIRED;
}

/**
 * Takes the key away, if this says so of its sealed form; another is made when it is next needed. Repeats change nothing, and
 * the row stays, so that one of several processes that do it at once cannot take the new one.
 */
export async function retireOperatorKey(store: Store, isCopied: (sealed: string) => boolean): Promise<void> {
  await store
    .collection(operatorKeys)
    .update(NAME, (row) => (isCopied(row.sealed_key) ? { ...row, sealed_key: RETIRED } : undefined));
}

/** Whether this is the key, without saying by time how much of it is right. */
export function isOperatorKey(given: string, key: string): boolean {
  return timingSafeEqual(digest(given), digest(key));
}

function opened(sealer: Sealer, { sealed_key }: OperatorKey): string | undefined {
  try {
    return sealer.open(sealed_key, SEALED_FOR_OPERATOR);
  } catch {
    return undefined;
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
