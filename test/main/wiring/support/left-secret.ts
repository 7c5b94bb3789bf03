import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorKeys, SEALED_FOR_OPERATOR } from '../../../../src/admin/operator/operator-key.ts';
import { SigningKeys, sealedForKey } from '../../../../src/webhooks/keys/signing-key-row.ts';
import { readConfig } from '../../../../src/main/config/config.ts';
import type { Config } from '../../../../src/main/config/config-shape.ts';
import { prepareCollections } from '../../../../src/main/wiring/collections.ts';
import { sealedForSlot, tokenKeys } from '../../../../src/oauth/keys/token-key-row.ts';
import { systemClock, toTimestamp } from '../../../../src/platform/clock.ts';
import { sealer } from '../../../../src/platform/crypto/sealer.ts';
import type { Sealer } from '../../../../src/platform/crypto/sealer.ts';
import { secrets } from '../../../../src/platform/crypto/secret.ts';
import type { Store } from '../../../../src/platform/store/collection.ts';
import { openStore } from '../../../../src/platform/store/store.ts';
import { silent } from '../../../directory/support/installation.ts';

/** What 0.1.0 made for itself, and kept in the store. */
export const LEFT = 'the-secret-that-0.1.0-kept-in-its-store-0123';
export const OPERATOR_KEY = 'op_live_made-by-0.1.0';
const SLOTS = ['000001', '000002', '000003'];

export interface Place {
  config: Config;
  open(): Promise<Store>;
}

/** A data folder, or a database, and the settings that it is opened with. */
export function placeOf(env: Record<string, string>): Place {
  const config = readConfig(env, { allowLoopback: true });
  return {
    config,
    async open() {
      const store = await openStore({ mongodbUrl: config.mongodbUrl, dataDir: config.dataDir, logger: silent });
      await prepareCollections(store);
      return store;
    },
  };
}

/** Leaves a store as 0.1.0 did: its secret in clear, beside what that sealed. */
export async function leaveAsOld(place: Place): Promise<void> {
  const store = await place.open();
  const sealed = sealer(LEFT);
  const created_at = toTimestamp(systemClock.now());
  await store.collection(secrets).insert({ name: 'sealing', value: LEFT, created_at, revision: 1 });
  const sealed_key = sealed.seal(OPERATOR_KEY, SEALED_FOR_OPERATOR);
  await store.collection(operatorKeys).insert({ name: 'operator', sealed_key, created_at, revision: 1 });
  for (const slot of SLOTS) {
    const sealed_jwk = sealed.seal(`key ${slot}`, sealedForSlot(slot));
    await store.collection(tokenKeys).insert({ slot, kid: slot, sealed_jwk, not_before: created_at, revision: 1 });
  }
  const sealed_jwk = sealed.seal('webhooks', sealedForKey('kid'));
  const signing = { slot: '000001', kid: 'kid', alg: 'ed25519', sealed_jwk, created_at } as const;
  await store.collection(SigningKeys).insert({ ...signing, not_before: created_at, revoked_at: null, revision: 1 });
  await store.close();
}

/** What became of what 0.1.0 sealed. */
export interface Found {
  /** Whether all of it opens that is not retired. */
  opens: boolean;
  /** With which keys it is sealed now. */
  keyIds: Set<string>;
  /** The operator's key and the keys of access tokens, of which there were four, that are gone. */
  retired: number;
}

export async function whatOpens(store: Store, sealed: Sealer): Promise<Found> {
  const signing = await store.collection(SigningKeys).get('000001');
  const [operator] = (await store.collection(operatorKeys).find({ where: {} })).rows;
  const { rows } = await store.collection(tokenKeys).find({ where: {} });
  const all: [string | undefined, string, string][] = [
    [signing?.sealed_jwk, sealedForKey('kid'), 'webhooks'],
    [operator?.sealed_key, SEALED_FOR_OPERATOR, OPERATOR_KEY],
    ...rows.map((row): [string, string, string] => [row.sealed_jwk, sealedForSlot(row.slot), `key ${row.slot}`]),
  ];
  const left = all.filter(([text]) => text !== '');
  const opens =
    signing?.sealed_jwk !== '' &&
    all.length === 2 + SLOTS.length &&
    left.every(([text, boundTo, was]) => sealed.open(text ?? '', boundTo) === was);
  const keyIds = new Set(left.map(([text]) => text?.split('.')[1] ?? ''));
  return { opens, keyIds, retired: all.length - left.length };
}

/** The files of a folder in which a text stands, by name. */
export async function filesWith(dir: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(dir)) {
    // A database that has been closed takes the files beside it away a moment later.
    const bytes = await readFile(join(dir, name)).catch((error: unknown) => {
      if (['ENOENT', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    });
    if (bytes?.includes(text) === true) found.push(name);
  }
  return found.sort();
}
