import { createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { JWK_SHAPES } from '../signing/algorithms.ts';
import type { SignatureAlg } from '../signing/algorithms.ts';

/** A public key as published; only looked at, never trusted for its shape. */
export type Jwk = Readonly<Record<string, unknown>>;

/** A JSON Web Key Set (RFC 7517). */
export interface Jwks {
  keys: readonly Jwk[];
}

/** A key that a `keyid` stands for. */
export interface ResolvedKey {
  jwk: Jwk;
  /**
   * Who signs with it: the `url` of the `agents[]` entry that published it. It is the sender identity for dedupe, so it
   * must stay the same when keys rotate.
   */
  sender?: string;
}

/** Finds the key of a `keyid`; undefined when the sender publishes no such key. */
export type ResolveKey = (keyid: string) => Promise<ResolvedKey | undefined> | ResolvedKey | undefined;

/** Finds keys in one fixed set. A `kid` that stands there twice is no key: it is ambiguous. */
export function keysOf(jwks: Jwks, sender?: string): ResolveKey {
  return (keyid) => {
    const [jwk, another] = jwks.keys.filter((key) => key['kid'] === keyid);
    if (jwk === undefined || another !== undefined) return undefined;
    return { jwk, ...(sender !== undefined && { sender }) };
  };
}

/** Whether a JWK's own type, curve and algorithm are those of a signature algorithm (RFC 8037, RFC 7518). */
export function isOfAlg(jwk: Jwk, alg: SignatureAlg): boolean {
  const shape = JWK_SHAPES[alg];
  return jwk['kty'] === shape.kty && jwk['crv'] === shape.crv && (jwk['alg'] ?? shape.alg) === shape.alg;
}

const imported = new WeakMap<Jwk, KeyObject>();

/** The key object of a JWK, made once per JWK; undefined when it holds no valid public key. */
export function publicKeyOf(jwk: Jwk): KeyObject | undefined {
  const known = imported.get(jwk);
  if (known !== undefined) return known;
  try {
    const { kty, crv, x, y } = jwk;
    const key = createPublicKey({ key: { kty, crv, x, y } as Record<string, unknown>, format: 'jwk' });
    imported.set(jwk, key);
    return key;
  } catch {
    return undefined;
  }
}
