/** Signature algorithms by their RFC 9421 names. */
export type SignatureAlg = 'ed25519' | 'ecdsa-p256-sha256';

/** What a JWK for each algorithm says of itself (RFC 8037, RFC 7518). */
export const JWK_SHAPES = {
  ed25519: { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' },
  'ecdsa-p256-sha256': { kty: 'EC', crv: 'P-256', alg: 'ES256' },
} as const satisfies Record<SignatureAlg, { kty: string; crv: string; alg: string }>;

/** Every algorithm that may sign a webhook (rule C.webhook.signatures.3). */
export const SIGNATURE_ALGS: readonly SignatureAlg[] = ['ed25519', 'ecdsa-p256-sha256'];

/** The algorithms as WebCrypto calls them. */
const WEB_CRYPTO = {
  ed25519: { key: { name: 'Ed25519' }, verify: { name: 'Ed25519' } },
  'ecdsa-p256-sha256': {
    key: { name: 'ECDSA', namedCurve: 'P-256' },
    verify: { name: 'ECDSA', hash: 'SHA-256' },
  },
} as const;

/** A public key that WebCrypto verifies with. */
export type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The key of a JWK's own numbers. @throws {DOMException} when they are no public key of this algorithm. */
export function importPublicKey(alg: SignatureAlg, jwk: Readonly<Record<string, unknown>>): Promise<PublicKey> {
  const { kty, crv, x, y } = jwk as Record<string, string>;
  const numbers = { kty, crv, x, ...(y !== undefined && { y }) };
  return crypto.subtle.importKey('jwk', numbers as { kty: string }, WEB_CRYPTO[alg].key, false, ['verify']);
}

/** Whether the signature is good: 64 bytes either way, for ECDSA raw r then s (rule W13). */
export async function verifyBytes(
  alg: SignatureAlg,
  key: PublicKey,
  bytes: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (signature.length !== 64) return false;
  return crypto.subtle.verify(WEB_CRYPTO[alg].verify, key, signature, bytes);
}
