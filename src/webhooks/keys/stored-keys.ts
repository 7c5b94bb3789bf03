import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { Logger } from '../../platform/log.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import { generateSigningKey, isWorkingKey, signingKeyFromJwk, signingKeyToJwk } from '../signing/signing-key.ts';
import type { KeyUse, SigningKey } from '../signing/signing-key.ts';
import { KEY_REFRESH_MS, publishedAt, signerAt } from './key-succession.ts';
import type { HeldKey, SigningKeySource } from './key-succession.ts';
import { sealedForKey, slotAfter } from './signing-key-row.ts';
import type { SigningKeyRow } from './signing-key-row.ts';

export interface StoredKeysDependencies {
  keys: Collection<SigningKeyRow>;
  sealer: Sealer;
  names: ProtocolNames;
  clock: Clock;
  log: Logger;
  /** What the keys are published for; see `SigningKeyOptions`. */
  keyUse?: KeyUse;
}

/** Keys that are looked at, newest first: more than a lifetime of rotations. */
const MAX_KEYS = 1000;

/** Keys the installation makes for itself and keeps in the store, sealed. */
export function createStoredKeys({
  keys: collection,
  sealer,
  names,
  clock,
  log,
  keyUse,
}: StoredKeysDependencies): SigningKeySource {
  const opened = new Map<string, SigningKey>();
  const of = { names, ...(keyUse !== undefined && { keyUse }) };

  async function read(): Promise<SigningKeyRow[]> {
    const { rows } = await collection.find({
      where: { slot: { gt: '' } },
      sort: { field: 'slot', direction: 'desc' },
      limit: MAX_KEYS,
    });
    return rows.reverse();
  }

  /** The key of a row, proved to work before it is ever used. */
  async function open(row: SigningKeyRow): Promise<SigningKey> {
    const { kid } = row;
    let key = opened.get(kid);
    if (key === undefined) {
      const text = sealer.open(row.sealed_jwk, sealedForKey(kid));
      key = signingKeyFromJwk(JSON.parse(text) as Record<string, unknown>, { ...of, kid });
      if (!isWorkingKey(key)) throw new Error(`signing key ${kid} does not verify its own signatures`);
      opened.set(kid, key);
      if (!row.sealed_jwk.includes(`.${sealer.keyId}.`)) await reseal(row, text);
    }
    return key;
  }

  /** Seals a key that an older secret sealed under the present one, so that the older can be given up. */
  async function reseal(row: SigningKeyRow, text: string): Promise<void> {
    const sealed_jwk = sealer.seal(text, sealedForKey(row.kid));
    await collection.update(row.slot, (stored) => ({ ...stored, sealed_jwk }));
    log.info({ kid: row.kid }, 'signing key sealed anew');
  }

  async function add(known: readonly { slot: string }[], signsFromMs: number, alg: SignatureAlg): Promise<string> {
    const key = generateSigningKey(alg, of);
    const slot = slotAfter(known.at(-1)?.slot);
    const { inserted } = await collection.insert({
      slot,
      kid: key.kid,
      alg,
      sealed_jwk: sealer.seal(JSON.stringify(signingKeyToJwk(key)), sealedForKey(key.kid)),
      created_at: toTimestamp(clock.now()),
      not_before: toTimestamp(signsFromMs),
      revoked_at: null,
      revision: 1,
    });
    if (inserted) log.info({ kid: key.kid, alg, not_before: toTimestamp(signsFromMs) }, 'signing key made');
    const stored = inserted ? undefined : await collection.get(slot);
    return stored?.kid ?? key.kid;
  }

  /** Sees to it that a key behind this one signs from now on. */
  async function succeed(known: readonly HeldKey[], key: HeldKey, alg: SignatureAlg): Promise<void> {
    const next = known.find((candidate) => candidate.slot > key.slot && candidate.revoked_at === null);
    if (next === undefined) {
      await add(known, clock.now(), alg);
      return;
    }
    const not_before = toTimestamp(clock.now());
    await collection.update(next.slot, (stored) =>
      stored.not_before > not_before ? { ...stored, not_before } : undefined,
    );
  }

  return {
    add,
    async load(alg) {
      let rows = await read();
      if (rows.every((row) => row.revoked_at !== null)) {
        await add(rows, clock.now(), alg);
        rows = await read();
      }
      const needed = publishedAt(rows, clock.now(), KEY_REFRESH_MS);
      return Promise.all(
        rows.map(async (row) => ({ ...row, key: needed.includes(row) ? await open(row) : undefined })),
      );
    },
    async revoke(known, key, alg) {
      if (signerAt(known, clock.now())?.slot === key.slot) await succeed(known, key, alg);
      const revoked_at = toTimestamp(clock.now());
      await collection.update(key.slot, (stored) =>
        stored.revoked_at === null ? { ...stored, revoked_at } : undefined,
      );
    },
  };
}
