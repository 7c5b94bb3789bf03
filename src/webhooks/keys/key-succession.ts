import { fromTimestamp } from '../../platform/clock.ts';
import { MAX_VALIDITY_SECONDS } from '#receiver/wire/signature-base';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import type { SigningKey } from '../signing/signing-key.ts';
import type { SigningKeyRow } from './signing-key-row.ts';

/** What decides a key's part at a moment. */
export type KeyDates = Pick<SigningKeyRow, 'slot' | 'not_before' | 'revoked_at'>;

/** A key of a set, opened while it is published. */
export interface HeldKey extends KeyDates {
  kid: string;
  alg: SignatureAlg;
  key: SigningKey | undefined;
}

/** Where the keys of a set come from. */
export interface SigningKeySource {
  /** All keys in the order they sign in, opened; makes the first key when there is none. */
  load(alg: SignatureAlg): Promise<HeldKey[]>;
  /** Puts a key behind the last of `known`; when another process was faster, theirs stays. Answers the id of that one. */
  add(known: readonly HeldKey[], signsFromMs: number, alg: SignatureAlg): Promise<string>;
  /** Sees to it that a key behind this one signs from now on, then marks it as revoked. */
  revoke(known: readonly HeldKey[], key: HeldKey, alg: SignatureAlg): Promise<void>;
}

/** How long a process may go on with the keys it knows, in milliseconds. */
export const KEY_REFRESH_MS = 30_000;

/** How long after its last signature a key stays published: that one's validity and the skew verifiers allow. */
const LAST_SIGNATURE_MS = (MAX_VALIDITY_SECONDS + 60) * 1000;

/**
 * The key that signs now: the newest that may, or the oldest when none may yet. Undefined only when every
 * key is revoked. `keys` are in the order of slots.
 */
export function signerAt<K extends KeyDates>(keys: readonly K[], nowMs: number): K | undefined {
  const sound = keys.filter((key) => key.revoked_at === null);
  return sound.findLast((key) => fromTimestamp(key.not_before) <= nowMs) ?? sound[0];
}

/**
 * The keys to publish now: those still to come, the one that signs, and those whose last signature may still be on its
 * way (rule C.webhook.signatures.7). `graceMs` prolongs the last for processes that learn of a new signer late.
 */
export function publishedAt<K extends KeyDates>(keys: readonly K[], nowMs: number, graceMs: number): K[] {
  const sound = keys.filter((key) => key.revoked_at === null);
  return sound.filter((_key, place) => {
    const successor = sound[place + 1];
    return successor === undefined || fromTimestamp(successor.not_before) + LAST_SIGNATURE_MS + graceMs > nowMs;
  });
}
