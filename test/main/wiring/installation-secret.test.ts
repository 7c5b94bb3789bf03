import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installationSecret } from '../../../src/main/wiring/installation-secret.ts';
import { reseal } from '../../../src/main/wiring/reseal.ts';
import { hasOperatorKey, loadOrCreateOperatorKey } from '../../../src/admin/operator/operator-key.ts';
import { tokenKeySet } from '../../../src/oauth/keys/token-key-set.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { systemClock, toTimestamp } from '../../../src/platform/clock.ts';
import { sealer as sealerOf } from '../../../src/platform/crypto/sealer.ts';
import { leftSecret, noteSealedWith, sealedWith, secrets } from '../../../src/platform/crypto/secret.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { createKeySet } from '../../../src/webhooks/keys/key-set.ts';
import { SigningKeys, WebhookSigningKeys } from '../../../src/webhooks/keys/signing-key-row.ts';
import { silent } from '../../directory/support/installation.ts';
import { dropStoreAt, freshDatabase } from '../../support/mongo-databases.ts';
import { onMongodb, SECRET_OF_TESTS } from '../../support/mongo-settings.ts';
import { hasMongodb } from '../../support/stores.ts';
import { filesWith, LEFT, leaveAsOld, OPERATOR_KEY, placeOf, whatOpens } from './support/left-secret.ts';
import type { Place } from './support/left-secret.ts';

const NOW = toTimestamp(systemClock.now());
const GIVEN = 'a secret that the settings name, thirty-two characters';

let dir: string;
const stores: Store[] = [];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mba-secret-'));
});
afterEach(async () => {
  await closeAll();
  await rm(dir, { recursive: true, force: true });
});

async function closeAll(): Promise<void> {
  for (const store of stores.splice(0)) await store.close();
}

/** What a process does with the secret when it starts. */
async function start(place: Place) {
  const store = await place.open();
  stores.push(store);
  const made = await installationSecret({ config: place.config, store, clock: systemClock, log: silent });
  return { ...made, store };
}

describe('beside the embedded store', () => {
  it('[S4] the secret is a file of its own that nobody else may read, the same at each start, and not in the store', async () => {
    const place = placeOf({ DATA_DIR: dir });
    const first = await start(place);
    const text = await readFile(join(dir, 'secret'), 'utf8');
    expect(text.split('\n')).toContain(first.secret);
    expect((await stat(join(dir, 'secret'))).mode & 0o777).toBe(0o600);
    expect((await start(place)).secret).toBe(first.secret);
    await closeAll();
    expect(await filesWith(dir, first.secret)).toEqual(['secret']);
  });

  it('[S4] processes that start at once have one secret', async () => {
    const place = placeOf({ DATA_DIR: dir });
    const all = await Promise.all(Array.from({ length: 6 }, () => start(place)));
    expect(new Set(all.map(({ secret }) => secret)).size).toBe(1);
  });

  it('[S4] what 0.1.0 kept in the store is moved out at the first start: all opens, is sealed anew, and no file of the store holds it', async () => {
    const place = placeOf({ DATA_DIR: dir });
    await leaveAsOld(place);
    expect(await filesWith(dir, LEFT)).toContain('store.db');
    const { store, sealer, secret, formerSecrets } = await start(place);
    expect(secret).not.toBe(LEFT);
    expect(formerSecrets).toEqual([LEFT]);
    expect(await whatOpens(store, sealer)).toEqual({ opens: true, keyIds: new Set([sealer.keyId]), retired: 4 });
    // While it is open, so that its log counts, too.
    expect(await filesWith(dir, LEFT)).toEqual(['secret']);
    expect((await start(place)).secret).toBe(secret);
  });

  it('[S4] who had copied the store of 0.1.0 has no key that is good: the operator has another, and tokens are signed anew', async () => {
    const place = placeOf({ DATA_DIR: dir });
    await leaveAsOld(place);
    const { store, sealer } = await start(place);
    expect(await hasOperatorKey(store)).toBe(false);
    const deps = { store, clock: systemClock, sealer };
    const key = await loadOrCreateOperatorKey(deps);
    expect(key).not.toBe(OPERATOR_KEY);
    const keySet = tokenKeySet({ ...deps, names: protocolNames(), log: silent });
    const { kid } = await keySet.signer();
    expect((await keySet.jwks()).keys.map((one) => one.kid)).toEqual([kid]);
    // Neither a start that goes on after a kill, nor one beside, takes what was made since.
    await store.collection(secrets).insert({ name: 'sealing', value: LEFT, created_at: NOW, revision: 1 });
    await start(place);
    expect(await hasOperatorKey(store)).toBe(true);
    expect(await loadOrCreateOperatorKey(deps)).toBe(key);
    expect((await tokenKeySet({ ...deps, names: protocolNames(), log: silent }).signer()).kid).toBe(kid);
  });

  it('[S4] what is not sealed anew is warned of at each start, and tried again', async () => {
    const place = placeOf({ DATA_DIR: dir });
    await leaveAsOld(place);
    const store = await place.open();
    stores.push(store);
    const misplaced = {
      name: 'misplaced',
      value: sealerOf(LEFT).seal('x', 'nothing here'),
      created_at: NOW,
      revision: 1,
    };
    await store.collection(secrets).insert(misplaced);
    const warned: unknown[] = [];
    const log = { ...silent, info: () => undefined, warn: (what: unknown) => warned.push(what) } as never;
    for (const wanted of [1, 1, 0]) {
      if (wanted === 0) await store.collection(secrets).delete('misplaced');
      const { sealer } = await installationSecret({ config: place.config, store, clock: systemClock, log });
      const counts = warned.splice(0).filter((what) => typeof what === 'object');
      expect(counts).toEqual(wanted === 0 ? [] : [expect.objectContaining({ stuck: 1, unread: 0 })]);
      expect(await sealedWith(store)).toBe(wanted === 0 ? sealer.keyId : undefined);
    }
  });

  it('[S4] a secret that is named afterwards seals everything anew at the next start', async () => {
    await leaveAsOld(placeOf({ DATA_DIR: dir }));
    const own = await start(placeOf({ DATA_DIR: dir }));
    const { store, sealer, secret, formerSecrets } = await start(placeOf({ DATA_DIR: dir, SECRET_KEY: GIVEN }));
    expect([secret, formerSecrets]).toEqual([GIVEN, [own.secret, LEFT]]);
    expect(await whatOpens(store, sealer)).toEqual({ opens: true, keyIds: new Set([sealer.keyId]), retired: 4 });
  });

  it('[S4] a store whose secret is missing is refused, and gets no other', async () => {
    const place = placeOf({ DATA_DIR: dir });
    await leaveAsOld(place);
    await start(place);
    await closeAll();
    await rm(join(dir, 'secret'));
    await expect(start(place)).rejects.toThrow(/secret is missing.*put it back from its backup/);
    await writeFile(join(dir, 'secret'), 'cut\n');
    await expect(start(place)).rejects.toThrow(/only a part of one/);
  });

  it.each([SigningKeys, WebhookSigningKeys])('[S4] so is one that holds nothing but $name', async (spec) => {
    const place = placeOf({ DATA_DIR: dir });
    const { store, sealer } = await start(place);
    const keys = store.collection(spec);
    await createKeySet({ keys, sealer, names: protocolNames(), clock: systemClock, log: silent }).signer();
    await closeAll();
    await rm(join(dir, 'secret'));
    await expect(start(place)).rejects.toThrow(/secret is missing/);
  });

  it('[S4] so is one that is known to be sealed, whatever is sealed in it', async () => {
    const place = placeOf({ DATA_DIR: dir });
    const store = await place.open();
    stores.push(store);
    await noteSealedWith(store, systemClock, '0123456789abcdef');
    await expect(start(place)).rejects.toThrow(/secret is missing/);
  });
});

describe.skipIf(!hasMongodb)('on MongoDB', () => {
  let url: string;
  beforeEach(() => {
    url = freshDatabase();
  });
  afterEach(async () => {
    await closeAll();
    await dropStoreAt(url);
  });

  const warned = () => {
    const lines: string[] = [];
    return { lines, log: { ...silent, warn: (text: string) => lines.push(text), info: () => undefined } as never };
  };

  it('[S4] mongodb: without SECRET_KEY nothing starts; with it, nothing that seals is stored', async () => {
    const store = await placeOf({ DATA_DIR: dir, MONGODB_URL: url }).open();
    stores.push(store);
    const { config } = placeOf({ DATA_DIR: dir, MONGODB_URL: url });
    const starting = installationSecret({ config, store, clock: systemClock, log: silent });
    await expect(starting).rejects.toThrow(/SECRET_KEY is needed with MONGODB_URL/);
    const { secret } = await start(placeOf({ DATA_DIR: dir, ...onMongodb(url) }));
    expect(secret).toBe(SECRET_OF_TESTS);
    expect(await leftSecret(store)).toBeUndefined();
  });

  it('[S4] mongodb: a secret of 0.1.0 is used, warned of, and moved out by command, once another is set', async () => {
    const old = placeOf({ DATA_DIR: dir, MONGODB_URL: url });
    await leaveAsOld(old);
    const { log, lines } = warned();
    const before = await start(old);
    await installationSecret({ config: old.config, store: before.store, clock: systemClock, log });
    expect(lines).toEqual([expect.stringMatching(/set SECRET_KEY .*agent -- secret move-out/)]);
    expect(before.secret).toBe(LEFT);
    const deps = { ...before, config: old.config, clock: systemClock, log: silent };
    for (const endsFormer of [false, true])
      await expect(reseal(deps, { endsFormer })).rejects.toMatchObject({ code: 'INVALID_STATE' });

    const place = placeOf({ DATA_DIR: dir, ...onMongodb(url) });
    const { store, sealer } = await start(place);
    await installationSecret({ config: place.config, store, clock: systemClock, log });
    expect(lines[1]).toContain('secret move-out');
    const moved = await reseal(
      { store, sealer, config: place.config, clock: systemClock, log: silent },
      // A process that knows no other may still run: what was taken out only now is kept all the same.
      { endsFormer: true },
    );
    expect(moved).toEqual({ was_in_store: true, rows: 1, stuck: 0, unread: 0 });
    expect(await leftSecret(store)).toBeUndefined();
    const after = await start(place);
    const keyIds = new Set([after.sealer.keyId]);
    expect(await whatOpens(after.store, after.sealer)).toEqual({ opens: true, keyIds, retired: 4 });
    expect(await hasOperatorKey(store)).toBe(false);
    // What a process sealed that knew no other secret, and codes and tokens that it proved, are read still.
    expect(after.formerSecrets).toEqual([LEFT]);
    const another = placeOf({ DATA_DIR: dir, MONGODB_URL: url, SECRET_KEY: GIVEN });
    await expect(start(another)).rejects.toThrow(/PREVIOUS_SECRET_KEYS/);
    // Until nothing needs it, and it is taken away with all others.
    const again = { ...after, config: place.config, clock: systemClock, log: silent };
    expect(await reseal(again, { endsFormer: true })).toEqual({ was_in_store: false, rows: 0, stuck: 0, unread: 0 });
    expect((await start(place)).formerSecrets).toEqual([]);
  });
});
