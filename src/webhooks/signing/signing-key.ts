import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { JWK_SHAPES, SIGNATURE_ALGS } from '#receiver/wire/algorithms';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import { signBytes, verifyBytes } from './algorithms.ts';

/** A public key as `/.well-known/jwks.json` shows it; the field `{p}_use` says `request-signing`. */
export interface PublicJwk {
  kty: string;
  crv: string;
  x: string;
  y?: string;
  kid: string;
  alg: string;
  use: 'sig';
  key_ops: ['verify'];
  [field: string]: unknown;
}

/** A key that signs webhooks. The private half stays a KeyObject: it cannot be logged or serialized by accident. */
export interface SigningKey {
  kid: string;
  alg: SignatureAlg;
  privateKey: KeyObject;
  publicJwk: PublicJwk;
}

export interface SigningKeyOptions {
  names: ProtocolNames;
  /** Default: the key's RFC 7638 thumbprint, so distinct for every key. 1–255 visible ASCII characters, no `"` or `\`. */
  kid?: string;
  /** What the published half says that it is for; default {@link DEFAULT_USE}. */
  keyUse?: KeyUse;
}

/** Purposes of keys in public words. Release 3.0 of the public protocol wants the second for webhooks, all others the first. */
export type KeyUse = 'request-signing' | 'webhook-signing';
const DEFAULT_USE: KeyUse = 'request-signing';

/** A fresh key pair. A thumbprint that begins with a hyphen is passed over: on a command line it would be an option. */
export function generateSigningKey(alg: SignatureAlg, options: SigningKeyOptions): SigningKey {
  for (;;) {
    const { privateKey } =
      alg === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = signingKey(alg, privateKey, options);
    if (options.kid !== undefined || !key.kid.startsWith('-')) return key;
  }
}

/**
 * The key of a private JWK; its own `kid` unless one is given.
 * @throws {TypeError} when it is not an Ed25519 or P-256 private key, or its halves do not belong together. The message
 * tells nothing of the key.
 */
export function signingKeyFromJwk(jwk: Readonly<Record<string, unknown>>, options: SigningKeyOptions): SigningKey {
  const alg = SIGNATURE_ALGS.find((name) => JWK_SHAPES[name].kty === jwk['kty'] && JWK_SHAPES[name].crv === jwk['crv']);
  if (alg === undefined) throw new TypeError('a signing key is an Ed25519 or P-256 private JWK');
  const kid = options.kid ?? (typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined);
  const key = signingKey(alg, importPrivateJwk(jwk), { ...options, ...(kid !== undefined && { kid }) });
  if (key.publicJwk.x !== jwk['x'] || key.publicJwk.y !== jwk['y'] || !isWorkingKey(key)) {
    throw new TypeError('the halves of the signing key do not belong together');
  }
  return key;
}

/** The private JWK of a key, with its `kid`: for files and encrypted stores only. */
export function signingKeyToJwk(key: SigningKey): JsonWebKey & { kid: string } {
  return { ...key.privateKey.export({ format: 'jwk' }), kid: key.kid, alg: key.publicJwk.alg };
}

/** Whether a signature by this key verifies under its published half; ask before a key's first send. */
export function isWorkingKey(key: SigningKey): boolean {
  try {
    const probe = randomBytes(32);
    const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' });
    return verifyBytes(key.alg, publicKey, probe, signBytes(key.alg, key.privateKey, probe));
  } catch {
    return false;
  }
}

function signingKey(alg: SignatureAlg, privateKey: KeyObject, options: SigningKeyOptions): SigningKey {
  const { kty, crv, alg: jwkAlg } = JWK_SHAPES[alg];
  const { x = '', y } = createPublicKey(privateKey).export({ format: 'jwk' });
  const kid = options.kid ?? thumbprint({ crv, kty, x, ...(y !== undefined && { y }) });
  if (!/^[!#-[\]-~]{1,255}$/.test(kid)) {
    throw new TypeError('a kid is 1-255 visible ASCII characters without quotes and backslashes');
  }
  const publicJwk: PublicJwk = {
    kty,
    crv,
    x,
    ...(y !== undefined && { y }),
    kid,
    alg: jwkAlg,
    use: 'sig',
    key_ops: ['verify'],
    [options.names.keyUseField]: options.keyUse ?? DEFAULT_USE,
  };
  return { kid, alg, privateKey, publicJwk };
}

/** RFC 7638: SHA-256 over the required members in alphabetical order. */
function thumbprint(members: { crv: string; kty: string; x: string; y?: string }): string {
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

function importPrivateJwk(jwk: Readonly<Record<string, unknown>>): KeyObject {
  try {
    return createPrivateKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new TypeError('a signing key is an Ed25519 or P-256 private JWK');
  }
}
