import { createPublicKey } from 'node:crypto';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import { verifyBytes } from '../../../src/webhooks/signing/algorithms.ts';

/** Whether a signature is good under the published half of a private JWK. */
export function isSignedBy(
  alg: SignatureAlg,
  { d: _, ...jwk }: Record<string, string>,
  base: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verifyBytes(alg, createPublicKey({ key: jwk, format: 'jwk' }), base, signature);
}
