import { sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** Signature algorithms by their RFC 9421 names. */
export type SignatureAlg = 'ed25519' | 'ecdsa-p256-sha256';

/** What a JWK for each algorithm says of itself (RFC 8037, RFC 7518). */
export const JWK_SHAPES = {
  ed25519: { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' },
  'ecdsa-p256-sha256': { kty: 'EC', crv: 'P-256', alg: 'ES256' },
} as const satisfies Record<SignatureAlg, { kty: string; crv: string; alg: string }>;

/** Every algorithm that may sign a webhook (rule C.webhook.signatures.3). */
export const SIGNATURE_ALGS: readonly SignatureAlg[] = ['ed25519', 'ecdsa-p256-sha256'];

/** Signs bytes; 64 bytes either way, for ECDSA raw r then s (rule W13). */
export function signBytes(alg: SignatureAlg, privateKey: KeyObject, bytes: Buffer): Buffer {
  if (alg === 'ed25519') return sign(null, bytes, privateKey);
  return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

/** Whether the signature is good; false for one of a wrong length. */
export function verifyBytes(alg: SignatureAlg, publicKey: KeyObject, bytes: Buffer, signature: Buffer): boolean {
  if (signature.length !== 64) return false;
  if (alg === 'ed25519') return verify(null, bytes, publicKey, signature);
  return verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}
