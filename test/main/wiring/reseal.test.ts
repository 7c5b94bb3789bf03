import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadOrCreateOperatorKey } from '../../../src/admin/operator/operator-key.ts';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import { sealStoreAnew } from '../../../src/main/wiring/seal-anew.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { installation } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { describeOnStores } from '../../support/stores.ts';

const [LEAKED, NEXT] = ['the secret that has leaked, of enough characters', 'the next secret, of enough characters'];

describeOnStores('a secret that leaked, on %s', (store) => {
  let at: Installation;
  beforeEach(async () => {
    at = await installation(COLLECTIONS, store);
  });
  afterEach(() => at.close());

  it('[S5.take-back] opens nothing any more once everything is sealed anew, and what was sealed is still there', async () => {
    const key = await loadOrCreateOperatorKey({ ...at, sealer: sealer(LEAKED) });
    const both = sealer(NEXT, [LEAKED]);
    expect(await sealStoreAnew(at.store, both)).toEqual({ rows: 1, stuck: 0, unread: 0 });
    expect(await sealStoreAnew(at.store, both)).toEqual({ rows: 0, stuck: 0, unread: 0 });
    // By the next secret alone: one that cannot be opened would be replaced.
    expect(await loadOrCreateOperatorKey({ ...at, sealer: sealer(NEXT) })).toBe(key);
    expect(await loadOrCreateOperatorKey({ ...at, sealer: sealer(LEAKED) })).not.toBe(key);
  });
});
