import { importPublicKey, JWK_SHAPES } from '../wire/algorithms.ts';
import type { PublicKey, SignatureAlg } from '../wire/algorithms.ts';
import type { FetchJson } from './fetch-json.ts';

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

/** No key, and why: for the receiver's own logs. */
export interface KeyNotFound {
  notFound: string;
}

/** What the surroundings give to whatever reads from the network. */
export interface Surroundings {
  /** How documents are fetched unless told otherwise; adapters for Node give one that checks addresses. */
  fetchJson?: FetchJson;
}

/**
 * Finds the key of a `keyid`. It throws when it cannot tell now, because something could not be fetched: that is
 * answered 503, while a key that is not there is answered 401.
 */
export type ResolveKey = (
  keyid: string,
  surroundings?: Surroundings,
) => Promise<ResolvedKey | KeyNotFound | undefined> | ResolvedKey | KeyNotFound | undefined;

/** Finds keys in one fixed set. A `kid` that stands there twice is no key: it is ambiguous. */
export function keysOf(jwks: Jwks, sender?: string): ResolveKey {
  return (keyid) => {
    const [jwk, another] = jwks.keys.filter((key) => key['kid'] === keyid);
    if (jwk === undefined) return { notFound: `the key set has no key ${JSON.stringify(keyid)}` };
    if (another !== undefined) return { notFound: `the key set has several keys ${JSON.stringify(keyid)}` };
    return { jwk, ...(sender !== undefined && { sender }) };
  };
}

/** Whether a JWK's own type, curve and algorithm are those of a signature algorithm (RFC 8037, RFC 7518). */
export function isOfAlg(jwk: Jwk, alg: SignatureAlg): boolean {
  const shape = JWK_SHAPES[alg];
  return jwk['kty'] === shape.kty && jwk['crv'] === shape.crv && (jwk['alg'] ?? shape.alg) === shape.alg;
}

const imported = new WeakMap<Jwk, Promise<PublicKey | undefined>>();

/** The key object of a JWK of this algorithm, made once per JWK; undefined when it holds no valid public key. */
export function publicKeyOf(jwk: Jwk, alg: SignatureAlg): Promise<PublicKey | undefined> {
  const known = imported.get(jwk) ?? importPublicKey(alg, jwk).catch(() => undefined);
  imported.set(jwk, known);
  return known;
}
