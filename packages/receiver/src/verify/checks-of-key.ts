import { isOfAlg, publicKeyOf } from '../keys/resolved-key.ts';
import type { Jwk } from '../keys/resolved-key.ts';
import { PUBLIC_KEY_USE_FIELDS } from '../wire/webhook-names.ts';
import type { WebhookNames } from '../wire/webhook-names.ts';
import { refusal } from './refusal.ts';
import type { Check } from './verification.ts';

/** 7: the key id stands for a key that the sender publishes. */
export const keyKnown: Check = async (verification) => {
  const { params, rules } = verification;
  const resolved = await rules.resolveKey(params.keyid, rules.surroundings);
  if (resolved === undefined || !('jwk' in resolved)) {
    return refusal('webhook_signature_key_unknown', resolved?.notFound);
  }
  verification.jwk = resolved.jwk;
  verification.sender = resolved.sender;
  return undefined;
};

/**
 * 8: the key is for signing requests (or, while the compatibility window is open, the deprecated `webhook-signing`), may
 * verify, and is of the signature's algorithm.
 */
export const keyPurposeFits: Check = async (verification) => {
  const { jwk, alg, rules } = verification;
  const use = keyUseOf(jwk, rules.names);
  const isForWebhooks = use === 'request-signing' || (use === 'webhook-signing' && rules.acceptDeprecatedKeyUse);
  const operations = jwk['key_ops'];
  const mayVerify = jwk['use'] === 'sig' && Array.isArray(operations) && operations.includes('verify');
  const publicKey = isForWebhooks && mayVerify && isOfAlg(jwk, alg) ? await publicKeyOf(jwk, alg) : undefined;
  if (publicKey === undefined) {
    const why = isForWebhooks
      ? 'use, key_ops, kty, crv, alg or numbers do not fit'
      : `its use is ${JSON.stringify(use)}`;
    return refusal('webhook_signature_key_purpose_invalid', why);
  }
  verification.publicKey = publicKey;
  return undefined;
};

/** 9: the key is not revoked, the revocations are fresh, and the key has not used up its share of nonces. */
export const keyInGoodStanding: Check = async ({ jwk, params, rules }) => {
  if (isMarkedRevoked(jwk['revoked_at'], params.created)) return refusal('webhook_signature_key_revoked');
  const standing = await rules.revocation?.standingOf(params.keyid, rules.now, rules.surroundings);
  if (standing === 'revoked') return refusal('webhook_signature_key_revoked');
  if (standing === 'stale') return refusal('webhook_signature_revocation_stale');
  if (await rules.replay.isFull(params.keyid, rules.now)) return refusal('webhook_signature_rate_abuse');
  return undefined;
};

/** What a key says it is for: in the field of the configured protocol, else as either public namespace spells it. */
function keyUseOf(jwk: Jwk, { keyUseField }: WebhookNames): unknown {
  return [keyUseField, ...PUBLIC_KEY_USE_FIELDS].map((field) => jwk[field]).find((use) => use !== undefined);
}

/** A published key may carry the instant from which its signatures count no more; one that is no instant revokes it. */
function isMarkedRevoked(revokedAt: unknown, createdSeconds: number): boolean {
  if (revokedAt === undefined || revokedAt === null) return false;
  const instant = typeof revokedAt === 'string' ? Date.parse(revokedAt) : Number.NaN;
  return !(createdSeconds * 1000 < instant);
}
