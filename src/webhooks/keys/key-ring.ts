import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection } from '../../platform/collection.ts';
import type { Logger } from '../../platform/log.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import type { Sealer } from '../../platform/sealer.ts';
import type { SignatureAlg } from '../signing/algorithms.ts';
import { generateSigningKey, isWorkingKey, signingKeyFromJwk, signingKeyToJwk } from '../signing/signing-key.ts';
import type { PublicJwk, SigningKey } from '../signing/signing-key.ts';
import { publishedAt, signerAt } from './key-line.ts';
import { sealedForKey, slotAfter } from './signing-key-row.ts';
import type { SigningKeyRow } from './signing-key-row.ts';

/** How long a process may go on with the keys it knows, in milliseconds. */
export const KEY_REFRESH_MS = 30_000;

/** How long a key is published before it signs, in milliseconds, so that every verifier has had time to learn of it. */
export const PUBLISH_AHEAD_MS = 10 * 60_000;

export interface KeyRingDependencies {
  keys: Collection<SigningKeyRow>;
  sealer: Sealer;
  names: ProtocolNames;
  clock: Clock;
  log: Logger;
  /** Of keys still to be made. Default `ed25519`. */
  alg?: SignatureAlg;
}

/** The agent's webhook keys, as this process knows them: at most {@link KEY_REFRESH_MS} behind the store. */
export interface KeyRing {
  /** The key that signs now, checked against its published half. Makes the first key of an installation. */
  signer(): Promise<SigningKey>;
  /** The keys to publish now (contract "Webhook signatures" 1). */
  published(): Promise<PublicJwk[]>;
  /** The ids of keys that must not be trusted any more. */
  revoked(): Promise<string[]>;
  /**
   * Adds a key to the line: published at once, signing after `aheadMs` (default {@link PUBLISH_AHEAD_MS}). The key
   * before it signs until then and stays published until its last signature has expired. Answers the new key's id, or
   * that of one which another process has added since this one last looked.
   */
  rotate(options?: { aheadMs?: number; alg?: SignatureAlg }): Promise<string>;
  /**
   * Revokes a key at once; when it was the one that signs and none is ready to follow, makes a successor that signs
   * at once. Answers false when there is no such key.
   */
  revoke(kid: string): Promise<boolean>;
}

interface Held extends SigningKeyRow {
  key: SigningKey | undefined;
}

export function createKeyRing(deps: KeyRingDependencies): KeyRing {
  const { keys, sealer, names, clock, log, alg: defaultAlg = 'ed25519' } = deps;
  const opened = new Map<string, SigningKey>();
  let line: Held[] = [];
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  /** Throws only while nothing is known: with the store away, the keys at hand serve on. */
  async function fresh(): Promise<readonly Held[]> {
    if (clock.now() - loadedAt < KEY_REFRESH_MS && clock.now() >= loadedAt && line.length > 0) return line;
    loading ??= load().finally(() => (loading = undefined));
    if (line.length === 0) await loading;
    else
      await loading.catch((error: unknown) => {
        log.warn({ err: error }, 'signing keys not refreshed');
      });
    return line;
  }

  async function load(): Promise<void> {
    let rows = await readLine();
    if (rows.every((row) => row.revoked_at !== null)) {
      await add(rows, clock.now(), defaultAlg);
      rows = await readLine();
    }
    line = rows.map((row) => ({ ...row, key: row.revoked_at === null ? open(row) : undefined }));
    loadedAt = clock.now();
  }

  async function readLine(): Promise<SigningKeyRow[]> {
    const { rows } = await keys.find({
      where: { slot: { gt: '' } },
      sort: { field: 'slot', direction: 'desc' },
      limit: 100,
    });
    return rows.reverse();
  }

  /** The key of a row, proved to work before it is ever used. */
  function open(row: SigningKeyRow): SigningKey {
    const known = opened.get(row.kid);
    if (known !== undefined) return known;
    const jwk = JSON.parse(sealer.open(row.sealed_jwk, sealedForKey(row.kid))) as Record<string, unknown>;
    const key = signingKeyFromJwk(jwk, { names, kid: row.kid });
    if (!isWorkingKey(key)) throw new Error(`signing key ${row.kid} does not verify its own signatures`);
    opened.set(row.kid, key);
    return key;
  }

  /** Puts a new key behind the last of `rows`; when another process was faster, theirs stays. */
  async function add(rows: readonly SigningKeyRow[], signsFromMs: number, alg: SignatureAlg): Promise<string> {
    const key = generateSigningKey(alg, { names });
    const slot = slotAfter(rows.at(-1)?.slot);
    const { inserted } = await keys.insert({
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
    const stored = inserted ? undefined : await keys.get(slot);
    return stored?.kid ?? key.kid;
  }

  /** Sees to it that a key behind this one signs from now on. */
  async function succeed(rows: readonly SigningKeyRow[], row: SigningKeyRow): Promise<void> {
    const next = rows.find((candidate) => candidate.slot > row.slot && candidate.revoked_at === null);
    if (next === undefined) {
      await add(rows, clock.now(), defaultAlg);
      return;
    }
    const not_before = toTimestamp(clock.now());
    await keys.update(next.slot, (stored) => (stored.not_before > not_before ? { ...stored, not_before } : undefined));
  }

  return {
    async signer() {
      const held = signerAt(await fresh(), clock.now());
      if (held?.key === undefined) throw new Error('there is no signing key');
      return held.key;
    },
    async published() {
      const shown = publishedAt(await fresh(), clock.now(), KEY_REFRESH_MS);
      return shown.flatMap(({ key }) => (key === undefined ? [] : [key.publicJwk]));
    },
    async revoked() {
      return (await fresh()).flatMap(({ kid, revoked_at }) => (revoked_at === null ? [] : [kid]));
    },
    async rotate({ aheadMs = PUBLISH_AHEAD_MS, alg = defaultAlg } = {}) {
      const kid = await add(await fresh(), clock.now() + aheadMs, alg);
      await load();
      return kid;
    },
    async revoke(kid) {
      const rows = await readLine();
      const row = rows.find((candidate) => candidate.kid === kid);
      if (row === undefined) return false;
      if (signerAt(rows, clock.now())?.slot === row.slot) await succeed(rows, row);
      const revoked_at = toTimestamp(clock.now());
      await keys.update(row.slot, (stored) => (stored.revoked_at === null ? { ...stored, revoked_at } : undefined));
      log.warn({ kid }, 'signing key revoked');
      await load();
      return true;
    },
  };
}
