import { sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { SignatureAlg } from '#receiver/wire/algorithms';

/** Signs bytes; 64 bytes either way, for ECDSA raw r then s (rule W13). */
export function signBytes(alg: SignatureAlg, privateKey: KeyObject, bytes: Uint8Array): Buffer {
  if (alg === 'ed25519') return sign(null, bytes, privateKey);
  return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

/** Whether the signature is good; false for one of a wrong length. */
export function verifyBytes(
  alg: SignatureAlg,
  publicKey: KeyObject,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== 64) return false;
  if (alg === 'ed25519') return verify(null, bytes, publicKey, signature);
  return verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
}
