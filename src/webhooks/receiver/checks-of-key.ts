import { isOfAlg, publicKeyOf } from './resolved-key.ts';
import type { Check } from './verification.ts';

/** 7: the key id stands for a key that the sender publishes. */
export const keyKnown: Check = async (verification) => {
  const resolved = await verification.rules.resolveKey(verification.params.keyid);
  if (resolved === undefined) return 'webhook_signature_key_unknown';
  verification.jwk = resolved.jwk;
  verification.sender = resolved.sender;
  return undefined;
};

/**
 * 8: the key is for signing requests (or, while the compatibility window is open, the deprecated `webhook-signing`), may
 * verify, and is of the signature's algorithm.
 */
export const keyPurposeFits: Check = (verification) => {
  const { jwk, alg, rules } = verification;
  const use = jwk[rules.names.keyUseField];
  const isForWebhooks = use === 'request-signing' || (use === 'webhook-signing' && rules.acceptDeprecatedKeyUse);
  const operations = jwk['key_ops'];
  const mayVerify = jwk['use'] === 'sig' && Array.isArray(operations) && operations.includes('verify');
  const publicKey = isForWebhooks && mayVerify && isOfAlg(jwk, alg) ? publicKeyOf(jwk) : undefined;
  if (publicKey === undefined) return 'webhook_signature_key_purpose_invalid';
  verification.publicKey = publicKey;
  return undefined;
};

/** 9: the key is not revoked, the revocations are fresh, and the key has not used up its share of nonces. */
export const keyInGoodStanding: Check = async ({ jwk, params, rules }) => {
  if (isMarkedRevoked(jwk['revoked_at'], params.created)) return 'webhook_signature_key_revoked';
  const standing = await rules.revocation?.standingOf(params.keyid, rules.now);
  if (standing === 'revoked') return 'webhook_signature_key_revoked';
  if (standing === 'stale') return 'webhook_signature_revocation_stale';
  if (await rules.replay.isFull(params.keyid, rules.now)) return 'webhook_signature_rate_abuse';
  return undefined;
};

/** A published key may carry the instant from which its signatures count no more; one that is no instant revokes it. */
function isMarkedRevoked(revokedAt: unknown, createdSeconds: number): boolean {
  if (revokedAt === undefined || revokedAt === null) return false;
  const instant = typeof revokedAt === 'string' ? Date.parse(revokedAt) : Number.NaN;
  return !(createdSeconds * 1000 < instant);
}
