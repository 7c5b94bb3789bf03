import { proved } from './row.ts';
import type { Requirement } from './row.ts';

const SIGNATURES = 'Webhook signatures';

export const SIGNATURE_RULES: readonly Requirement[] = [
  proved(
    'W12',
    SIGNATURES,
    'A receiver checks first the content type (415), the size of at most 1 MB (413) and the registered mode (`webhook_mode_mismatch`), then these steps in order, and stops at the first that fails, with its code after `webhook_signature_`: 1 both headers present and readable, `header_malformed`; 2 all six parameters, `params_incomplete`; 3 tag, `tag_invalid`; 4 algorithm, `alg_not_allowed`; 5 created at most 60 s ahead, expires at most 60 s past, span at most 300 s, `window_invalid`; 6 the five components, `components_incomplete`; 7 key found, with one refetch that is not repeated for 30 s, `key_unknown`; 8 its purpose, `key_purpose_invalid`; 9 revocation, `key_revoked` or `revocation_stale`, and the nonces a key may use, `rate_abuse`; 10 target and signature, `invalid` (or `webhook_target_uri_malformed`); 11 digest of the raw bytes, `digest_mismatch`; 12 nonce new, `replayed`; 13 nonce kept until expires and 60 s; 14 no JSON key twice, `webhook_body_malformed`. A refusal is 401 with `WWW-Authenticate: Signature error="<code>"`.',
  ),
  proved(
    'W13',
    SIGNATURES,
    'Binary tokens are sent as base64url without padding, and read in that or in standard base64, padded or not; one that mixes the two alphabets is `header_malformed`. The signature base takes header text as it stands, ES256 signatures are r then s in raw bytes, and no label but `sig1` is read.',
  ),
  proved(
    'W14',
    SIGNATURES,
    'The target URI is signed in one form: scheme and host in lower case, international names as A-labels, no userinfo, default port, fragment or dot segments, `/` for an empty path, escapes in upper case with unreserved characters decoded, and the query byte for byte.',
  ),
  proved(
    'C.webhook.signatures.1',
    SIGNATURES,
    "A webhook is signed by a key of use `request-signing`, which the seller's brand.json publishes with its agent. Keys of the former use `webhook-signing` still verify; a key for webhooks alone is a second `request-signing` key with a `kid` of its own.",
  ),
  proved(
    'C.webhook.signatures.2',
    SIGNATURES,
    'A signed webhook has the headers `Signature-Input`, `Signature`, `Content-Digest` and `Content-Type`.',
  ),
  proved(
    'C.webhook.signatures.3',
    SIGNATURES,
    'A signature covers `@method`, `@target-uri`, `@authority`, `content-type` and `content-digest`, no more and no fewer, with the parameters `created`, `expires`, `nonce`, `keyid`, `alg` (`ed25519` or `ecdsa-p256-sha256`) and `tag`, which is `{p}/webhook-signing/v1` (rule N1).',
  ),
  proved(
    'C.webhook.signatures.4',
    SIGNATURES,
    'The signature is written `sig1=:…:` and the digest `sha-256=:…:`, both as base64url without padding, and the digest is always covered.',
  ),
  proved(
    'C.webhook.signatures.5',
    SIGNATURES,
    'Signature and digest are over the exact bytes that are sent; a body that was parsed and written anew does not verify.',
  ),
  proved(
    'C.webhook.signatures.6',
    SIGNATURES,
    "A receiver finds the key by `keyid` through the `jwks_uri` of the seller's agent in brand.json, narrowed by a publisher's pin (`signing_keys` in adagents.json) where there is one, goes through fourteen steps (rule W12), and refuses with 401 and `WWW-Authenticate: Signature error=<code>`.",
  ),
  proved(
    'C.webhook.signatures.7',
    SIGNATURES,
    'A signature is valid for 5 minutes at most, and a nonce is taken once per key.',
  ),
  proved(
    'C.limits.signature',
    SIGNATURES,
    'A signature spans at most 5 minutes from `created` to `expires`, and nonces are remembered for about 360 s.',
  ),
  proved(
    'C.webhook.hmac',
    SIGNATURES,
    'In the legacy mode `HMAC-SHA256`, `X-PROTO-Signature` is `sha256=` and the hexadecimal HMAC of `<unix_seconds>.<raw_body>`, over compact JSON, and `X-PROTO-Timestamp` those seconds (header names by rule N1). A receiver refuses a timestamp that is no number or more than 300 s off, and compares in constant time.',
  ),
  proved(
    'C.webhook.bearer',
    SIGNATURES,
    'In the legacy mode `Bearer`, the credential is the bearer token of the request, which a receiver compares. It protects no byte of the body, so the seller refuses it for tasks that change something, unless it is set to allow it (rule W4).',
  ),
  proved('C.limits.hmac', SIGNATURES, "A legacy timestamp may differ from the receiver's clock by 300 s."),
];
