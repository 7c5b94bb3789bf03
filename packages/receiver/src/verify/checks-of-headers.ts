import { SIGNATURE_ALGS } from '../wire/algorithms.ts';
import { areCoveredComponents, MAX_VALIDITY_SECONDS } from '../wire/signature-base.ts';
import { parseSignatureInput, parseTokens } from '../wire/structured-header.ts';
import type { ParamValue } from '../wire/structured-header.ts';
import { decodeToken } from '../wire/tokens.ts';
import { refusal } from './refusal.ts';
import type { HeaderReader } from '../wire/received-request.ts';
import type { Check } from './verification.ts';

/** The only signature that is read (rule W13); others beside it are left alone. */
const LABEL = 'sig1';

/** How far the clocks of sender and receiver may differ, in seconds (rule W12, step 5). */
export const CLOCK_SKEW_SECONDS = 60;

const MAX_HEADER_LENGTH = 8192;
const MIN_NONCE_BYTES = 16;
const STRING_PARAMS = ['nonce', 'keyid', 'alg', 'tag'] as const;

/** 1: `Signature-Input` and `Signature` are there and parse, and so does `Content-Digest` if it is there. */
export const headersParse: Check = (verification) => {
  const [inputs, signatures, digests] = [
    parsed(verification.header('signature-input'), parseSignatureInput),
    parsed(verification.header('signature'), parseTokens),
    parsed(verification.header('content-digest') ?? '', parseContentDigest),
  ];
  const input = inputs?.get(LABEL);
  const signature = decodeToken(signatures?.get(LABEL) ?? '=');
  if (input === undefined || signature === undefined || digests === undefined) {
    return refusal('webhook_signature_header_malformed', malformed(verification.header));
  }
  if (!areTypedParams(input.params)) {
    return refusal('webhook_signature_header_malformed', 'a parameter of Signature-Input is of another type or form');
  }
  verification.input = input;
  verification.signature = signature;
  verification.digest = digests.sha256;
  return undefined;
};

/** 2: all six parameters are there. */
export const paramsComplete: Check = (verification) => {
  const { params } = verification.input;
  const [created, expires] = [integerOf(params.get('created')), integerOf(params.get('expires'))];
  const [nonce, keyid, alg, tag] = STRING_PARAMS.map((name) => stringOf(params.get(name)));
  if (
    created === undefined ||
    expires === undefined ||
    nonce === undefined ||
    keyid === undefined ||
    alg === undefined ||
    tag === undefined
  ) {
    return refusal('webhook_signature_params_incomplete');
  }
  verification.params = { created, expires, nonce, keyid, alg, tag };
  return undefined;
};

/** 3: the tag is the webhook profile's, byte for byte. */
export const tagMatches: Check = ({ params, rules }) =>
  params.tag === rules.names.webhookSignatureTag
    ? undefined
    : refusal('webhook_signature_tag_invalid', `expected the tag ${rules.names.webhookSignatureTag}`);

/** 4: the algorithm is an allowed one. */
export const algAllowed: Check = (verification) => {
  const { params, rules } = verification;
  const alg = SIGNATURE_ALGS.find((name) => name === params.alg && rules.allowedAlgs.includes(name));
  if (alg === undefined) return refusal('webhook_signature_alg_not_allowed');
  verification.alg = alg;
  return undefined;
};

/** 5: made before now, still valid, and valid for no longer than allowed. */
export const windowValid: Check = ({ params: { created, expires }, rules }) => {
  const now = rules.now / 1000;
  const isValid =
    expires > created &&
    expires - created <= MAX_VALIDITY_SECONDS &&
    created <= now + CLOCK_SKEW_SECONDS &&
    expires >= now - CLOCK_SKEW_SECONDS;
  return isValid
    ? undefined
    : refusal(
        'webhook_signature_window_invalid',
        `valid from ${created} to ${expires}, and it is ${Math.floor(now)} here`,
      );
};

/** 6: exactly the five components are covered, and both covered headers are there. */
export const componentsComplete: Check = ({ input, digest }) =>
  areCoveredComponents(input.components) && digest !== undefined
    ? undefined
    : refusal('webhook_signature_components_incomplete');

/** Which of the headers is not there, as far as that is what is wrong. */
function malformed(header: HeaderReader): string {
  const missing = ['signature-input', 'signature'].filter((name) => header(name) === undefined);
  return missing.length > 0 ? `there is no ${missing.join(' and no ')}` : 'a header does not parse';
}

function parsed<T>(header: string | undefined, parse: (header: string) => T | undefined): T | undefined {
  return header === undefined || header.length > MAX_HEADER_LENGTH ? undefined : parse(header);
}

/** The SHA-256 of a `Content-Digest` header; without the header none, which check 6 refuses. */
function parseContentDigest(header: string): { sha256: Uint8Array | undefined } | undefined {
  if (header === '') return { sha256: undefined };
  const sha256 = decodeToken(parseTokens(header)?.get('sha-256') ?? '=');
  return sha256?.length === 32 ? { sha256 } : undefined;
}

/** Whether the known parameters, as far as they are there, are of the right type, and the nonce is 16 bytes or more. */
function areTypedParams(params: ReadonlyMap<string, ParamValue>): boolean {
  const isAbsentOr = (type: ParamValue['type'], name: string) => (params.get(name)?.type ?? type) === type;
  const nonce = stringOf(params.get('nonce'));
  return (
    isAbsentOr('integer', 'created') &&
    isAbsentOr('integer', 'expires') &&
    STRING_PARAMS.every((name) => isAbsentOr('string', name)) &&
    (nonce === undefined || (decodeToken(nonce)?.length ?? 0) >= MIN_NONCE_BYTES)
  );
}

function integerOf(value: ParamValue | undefined): number | undefined {
  return value?.type === 'integer' ? value.value : undefined;
}

function stringOf(value: ParamValue | undefined): string | undefined {
  return value?.type === 'string' ? value.value : undefined;
}
