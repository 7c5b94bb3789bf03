import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { RETIRED, tokenKeys } from './token-key-row.ts';

/**
 * Ends the keys of whose sealed form this says so: what they signed is good no more, as soon as a process reads the line
 * again, and the next key is made when one is needed. Repeats change nothing. Rows stay, so that of several processes that do
 * it at once none can take a new key that has the place of a former one.
 */
export async function retireTokenKeys(store: Store, isCopied: (sealed: string) => boolean): Promise<void> {
  const rows = store.collection(tokenKeys);
  for await (const { slot } of allRows(rows, { where: { slot: { gt: '' } } })) {
    await rows.update(slot, (row) => (isCopied(row.sealed_jwk) ? { ...row, sealed_jwk: RETIRED } : undefined));
  }
}
