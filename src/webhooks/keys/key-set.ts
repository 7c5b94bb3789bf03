import type { JsonWebKey } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { SIGNATURE_ALGS } from '#receiver/wire/algorithms';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import type { PublicJwk, SigningKey } from '../signing/signing-key.ts';
import { configuredKeys } from './configured-keys.ts';
import { KEY_REFRESH_MS, publishedAt, signerAt } from './key-succession.ts';
import type { HeldKey, SigningKeySource } from './key-succession.ts';
import { createStoredKeys } from './stored-keys.ts';
import type { StoredKeysDependencies } from './stored-keys.ts';

/** How long a key is published before it signs, in milliseconds, so that every verifier has had time to learn of it. */
export const PUBLISH_AHEAD_MS = 10 * 60_000;

const DAY_MS = 24 * 3_600_000;

export interface KeyRotationOptions {
  /** Of keys still to be made. Default `ed25519`. */
  alg?: SignatureAlg;
  /** After how many days of signing a key is followed by a new one. Default 90. */
  rotateAfterDays?: number;
  /**
   * Private JWKs from files or the environment, used instead of keys in the store: the first signs, all are published.
   * To rotate, put a new one behind the first, and before it once every receiver has had time to learn of it.
   */
  configured?: readonly JsonWebKey[];
}

export interface KeySetDependencies extends KeyRotationOptions, StoredKeysDependencies {
  names: ProtocolNames;
  clock: Clock;
  log: Logger;
}

/**
 * One key for people. `upcoming`: published and not signing yet; `retiring`: followed by another, and published until its
 * last signature has expired; `retired`: not published any more.
 */
export const KeyFacts = z.object({
  kid: z.string(),
  alg: z.enum(SIGNATURE_ALGS),
  part: z.enum(['upcoming', 'signing', 'retiring', 'retired', 'revoked']),
  signs_from: z.string(),
  revoked_at: z.string().nullable(),
  /** Signs webhooks and nothing else. */
  webhooks_only: z.literal(true).optional(),
});
export type KeyFacts = z.infer<typeof KeyFacts>;

/** The agent's webhook keys, as this process knows them: at most {@link KEY_REFRESH_MS} behind the store. */
export interface KeySet {
  /** The key that signs now, checked against its published half. Makes the first key of an installation. */
  signer(): Promise<SigningKey>;
  /** The keys to publish now (rule C.webhook.signatures.1). */
  published(): Promise<PublicJwk[]>;
  /** The ids of keys that must not be trusted any more. */
  revoked(): Promise<string[]>;
  /** Every key there has been, oldest first, as the store has them now. */
  list(): Promise<KeyFacts[]>;
  /**
   * Adds a key behind the newest: published at once, signing after `aheadMs` (default {@link PUBLISH_AHEAD_MS}). The key
   * before it signs until then and stays published until its last signature has expired. Answers the new key's id, or
   * that of one which another process has added since this one last looked.
   * @throws {AppError} `INVALID_STATE` when the keys are configured.
   */
  rotate(options?: { aheadMs?: number; alg?: SignatureAlg }): Promise<string>;
  /** Rotates when the newest key has signed for its days. */
  rotateWhenDue(): Promise<void>;
  /**
   * Revokes a key at once; when it is the one that signs, a successor signs from now on. Answers false when there is no
   * such key. @throws {AppError} `INVALID_STATE` when the keys are configured.
   */
  revoke(kid: string): Promise<boolean>;
}

export function createKeySet(deps: KeySetDependencies): KeySet {
  const { clock, log, names, configured = [], alg: defaultAlg = 'ed25519', rotateAfterDays = 90 } = deps;
  const source: SigningKeySource = configured.length > 0 ? configuredKeys(configured, names) : createStoredKeys(deps);
  let held: HeldKey[] = [];
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  /** Throws only while nothing is known: with the store away, the keys at hand serve on. */
  async function fresh(): Promise<readonly HeldKey[]> {
    if (Math.abs(clock.now() - loadedAt) < KEY_REFRESH_MS && held.length > 0) return held;
    loading ??= load().finally(() => (loading = undefined));
    if (held.length === 0) await loading;
    else {
      await loading.catch((error: unknown) => {
        log.warn({ err: error }, 'signing keys not refreshed');
      });
    }
    return held;
  }

  async function load(): Promise<void> {
    held = await source.load(defaultAlg);
    loadedAt = clock.now();
  }

  async function rotate({
    aheadMs = PUBLISH_AHEAD_MS,
    alg = defaultAlg,
  }: { aheadMs?: number; alg?: SignatureAlg } = {}) {
    const kid = await source.add(await fresh(), clock.now() + aheadMs, alg);
    await load();
    return kid;
  }

  return {
    rotate,
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
    async list() {
      await load();
      const signing = signerAt(held, clock.now());
      const published = publishedAt(held, clock.now(), KEY_REFRESH_MS);
      return held.map((key) => {
        const { kid, alg, not_before: signs_from, revoked_at } = key;
        return { kid, alg, part: partOf(key, signing, published), signs_from, revoked_at };
      });
    },
    async rotateWhenDue() {
      if (configured.length > 0) return;
      const newest = (await fresh()).at(-1);
      if (newest === undefined || clock.now() < Date.parse(newest.not_before) + rotateAfterDays * DAY_MS) return;
      log.info({ kid: await rotate() }, 'signing key rotated: its time had come');
    },
    async revoke(kid) {
      await load();
      const key = held.find((candidate) => candidate.kid === kid);
      if (key === undefined) return false;
      await source.revoke(held, key, defaultAlg);
      log.warn({ kid }, 'signing key revoked');
      await load();
      return true;
    },
  };
}

function partOf(key: HeldKey, signing: HeldKey | undefined, published: readonly HeldKey[]): KeyFacts['part'] {
  if (key.revoked_at !== null) return 'revoked';
  if (key === signing) return 'signing';
  if (!published.includes(key)) return 'retired';
  return signing !== undefined && key.slot > signing.slot ? 'upcoming' : 'retiring';
}
