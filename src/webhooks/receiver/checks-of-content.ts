import { timingSafeEqual } from 'node:crypto';
import { verifyBytes } from '../signing/algorithms.ts';
import { digestOf } from '../signing/content-digest.ts';
import { areCoveredComponents, signatureBase } from '../signing/signature-base.ts';
import { canonicalAuthority, canonicalTargetUri } from '../signing/target-uri.ts';
import type { TargetUri } from '../signing/target-uri.ts';
import { CLOCK_SKEW_SECONDS } from './checks-of-headers.ts';
import type { HeaderReader } from './received-request.ts';
import { parseStrictJson } from './strict-json.ts';
import type { Check } from './verification.ts';

/** 10: the URL has a canonical form, `Host` agrees with it, and the signature is good over the five components. */
export const signatureGood: Check = ({ request, header, input, signature, alg, publicKey }) => {
  const target = canonicalTargetUri(request.url);
  if (target === undefined || !isSameAuthority(header, target)) return 'webhook_target_uri_malformed';
  if (!areCoveredComponents(input.components)) return 'webhook_signature_components_incomplete';
  const values = {
    '@method': request.method,
    '@target-uri': target.uri,
    '@authority': target.authority,
    'content-type': header('content-type') ?? '',
    'content-digest': header('content-digest') ?? '',
  };
  const base = signatureBase(input.components, values, input.text);
  return verifyBytes(alg, publicKey, base, signature) ? undefined : 'webhook_signature_invalid';
};

/** 11: the digest is that of the bytes received. */
export const digestMatches: Check = ({ digest, request }) =>
  digest !== undefined && timingSafeEqual(digest, digestOf(request.rawBody))
    ? undefined
    : 'webhook_signature_digest_mismatch';

/**
 * 12: the nonce has not been seen. Looking and recording are one atomic step, or two copies at once would both pass; so
 * the record of check 13 is made here.
 */
export const nonceUnseen: Check = async (verification) => {
  const { params, rules } = verification;
  const until = (params.expires + CLOCK_SKEW_SECONDS) * 1000;
  verification.nonceRecord = await rules.replay.record(params.keyid, params.nonce, until, rules.now);
  return verification.nonceRecord === 'seen' ? 'webhook_signature_replayed' : undefined;
};

/** 13: the nonce is recorded until `expires` + 60 s; a nonce that found no room is refused, not forgotten. */
export const nonceRecorded: Check = ({ nonceRecord }) =>
  nonceRecord === 'recorded' ? undefined : 'webhook_signature_rate_abuse';

/** 14: the body is JSON that every parser reads alike. */
export const bodyUnambiguous: Check = ({ request }) =>
  parseStrictJson(request.rawBody) === undefined ? 'webhook_body_malformed' : undefined;

/** Both `:authority` (HTTP/2) and `Host`, as far as they are there, name the authority of the URL. */
function isSameAuthority(header: HeaderReader, target: TargetUri): boolean {
  const scheme = target.uri.slice(0, target.uri.indexOf(':'));
  return [header(':authority'), header('host')].every(
    (shown) => shown === undefined || (!shown.includes('@') && canonicalAuthority(shown, scheme) === target.authority),
  );
}
