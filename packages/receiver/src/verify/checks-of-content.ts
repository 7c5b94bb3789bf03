import { verifyBytes } from '../wire/algorithms.ts';
import { isSameBytes, sha256 } from '../wire/bytes.ts';
import type { HeaderReader } from '../wire/received-request.ts';
import { areCoveredComponents, signatureBase } from '../wire/signature-base.ts';
import { parseStrictJson } from '../wire/strict-json.ts';
import { canonicalAuthority, canonicalTargetUri } from '../wire/target-uri.ts';
import type { TargetUri } from '../wire/target-uri.ts';
import { CLOCK_SKEW_SECONDS } from './checks-of-headers.ts';
import { refusal } from './refusal.ts';
import type { Check } from './verification.ts';

/** 10: the URL has a canonical form, `Host` agrees with it, and the signature is good over the five components. */
export const signatureGood: Check = async ({ request, header, input, signature, alg, publicKey }) => {
  const target = canonicalTargetUri(request.url);
  if (target === undefined || !isSameAuthority(header, target)) {
    return refusal('webhook_target_uri_malformed', `${request.url} is no URL to sign, or Host names another`);
  }
  if (!areCoveredComponents(input.components)) return refusal('webhook_signature_components_incomplete');
  const values = {
    '@method': request.method,
    '@target-uri': target.uri,
    '@authority': target.authority,
    'content-type': header('content-type') ?? '',
    'content-digest': header('content-digest') ?? '',
  };
  const base = signatureBase(input.components, values, input.text);
  if (await verifyBytes(alg, publicKey, base, signature)) return undefined;
  return refusal('webhook_signature_invalid', `not over ${request.method} ${target.uri}`);
};

/** 11: the digest is that of the bytes received. */
export const digestMatches: Check = async ({ digest, request }) =>
  digest !== undefined && isSameBytes(digest, await sha256(request.rawBody))
    ? undefined
    : refusal('webhook_signature_digest_mismatch');

/**
 * 12: the nonce has not been seen. Looking and recording are one atomic step, or two copies at once would both pass; so
 * the record of check 13 is made here.
 */
export const nonceUnseen: Check = async (verification) => {
  const { params, rules } = verification;
  const until = (params.expires + CLOCK_SKEW_SECONDS) * 1000;
  verification.nonceRecord = await rules.replay.record(params.keyid, params.nonce, until, rules.now);
  return verification.nonceRecord === 'seen' ? refusal('webhook_signature_replayed') : undefined;
};

/** 13: the nonce is recorded until `expires` + 60 s; a nonce that found no room is refused, not forgotten. */
export const nonceRecorded: Check = ({ nonceRecord }) =>
  nonceRecord === 'recorded' ? undefined : refusal('webhook_signature_rate_abuse');

/** 14: the body is JSON that every parser reads alike. */
export const bodyUnambiguous: Check = ({ request }) =>
  parseStrictJson(request.rawBody) === undefined ? refusal('webhook_body_malformed') : undefined;

/** Both `:authority` (HTTP/2) and `Host`, as far as they are there, name the authority of the URL. */
function isSameAuthority(header: HeaderReader, target: TargetUri): boolean {
  const scheme = target.uri.slice(0, target.uri.indexOf(':'));
  return [header(':authority'), header('host')].every(
    (shown) => shown === undefined || (!shown.includes('@') && canonicalAuthority(shown, scheme) === target.authority),
  );
}
