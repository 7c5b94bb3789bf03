import { isOfAlg, publicKeyOf } from '#receiver/keys/resolved-key';
import type { ResolveKey } from '#receiver/keys/resolved-key';
import type { ReplayStore } from '#receiver/replay/replay-store';
import { SIGNATURE_ALGS, verifyBytes } from '#receiver/wire/algorithms';
import { isSameBytes, sha256 } from '#receiver/wire/bytes';
import { parseSignatureInput, parseTokens } from '#receiver/wire/structured-header';
import type { SignatureInput } from '#receiver/wire/structured-header';
import { decodeToken } from '#receiver/wire/tokens';
import { CALL_COMPONENTS, CALL_TAG, callBase, callValues } from './call-signature.ts';

/** A call as it was received. */
export interface ReceivedCall {
  method: string;
  /** Path and query as they stand in the request line. */
  path: string;
  /** Header by its name in lower case. */
  header: (name: string) => string | undefined;
  /** The exact bytes; none for a call without a body. */
  body: Uint8Array;
}

/** How far the clocks of both sides may differ, and how long a signature may be valid at most, in seconds. */
const SKEW_SECONDS = 60;
const MAX_CALL_VALIDITY_SECONDS = 300;
const MAX_HEADER = 8_192;

type Component = (typeof CALL_COMPONENTS)[number];

/** Who may sign, and what was seen before. */
export interface CallRules {
  /** May throw where keys cannot be told now. */
  resolveKey: ResolveKey;
  replay: Pick<ReplayStore, 'record'>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * What is wrong with the signature of a call to an ad server, in words; undefined for a good one.
 * @throws what `resolveKey` throws.
 */
export async function faultOfCall(call: ReceivedCall, rules: CallRules): Promise<string | undefined> {
  const input = memberOf(call.header('signature-input'), parseSignatureInput);
  const signature = decodeToken(memberOf(call.header('signature'), parseTokens) ?? '=');
  const digest = call.header('content-digest') ?? '';
  if (input === undefined || signature === undefined) return 'it has no signature sig1, or a malformed one';
  if (!coversAll(input.components)) return `the signature must cover ${CALL_COMPONENTS.join(', ')}, each once`;
  const [keyid, alg, tag, nonce] = ['keyid', 'alg', 'tag', 'nonce'].map((name) => textOf(input, name));
  if (tag !== CALL_TAG) return `the signature is no call's: its tag must be ${CALL_TAG}`;
  if (keyid === undefined || nonce === undefined) return 'the signature has no keyid, or no nonce';
  const expires = integerOf(input, 'expires');
  if (expires === undefined || !isInTime(integerOf(input, 'created'), expires, rules.now() / 1000))
    return 'the signature is not valid at this time';
  const algorithm = SIGNATURE_ALGS.find((name) => name === alg);
  const resolved = await rules.resolveKey(keyid);
  const jwk = resolved !== undefined && 'jwk' in resolved ? resolved.jwk : undefined;
  const publicKey = jwk && algorithm && isOfAlg(jwk, algorithm) ? await publicKeyOf(jwk, algorithm) : undefined;
  if (algorithm === undefined || publicKey === undefined) return 'the signature names no key that is published';
  const { method, path, body } = call;
  const values = callValues({ method, host: call.header('host') ?? '', path, digest });
  if (!(await verifyBytes(algorithm, publicKey, callBase(input.components, values, input.text), signature)))
    return 'the signature is not good: something was altered, or another key signed';
  const stated = decodeToken(parseTokens(digest)?.get('sha-256') ?? '=');
  if (stated === undefined || !isSameBytes(stated, await sha256(body))) return 'the body is another than was signed';
  const untilMs = (expires + SKEW_SECONDS) * 1000;
  const record = await rules.replay.record(keyid, nonce, untilMs, rules.now());
  return record === 'recorded' ? undefined : 'the call was received before';
}

function memberOf<T>(
  header: string | undefined,
  parse: (header: string) => ReadonlyMap<string, T> | undefined,
): T | undefined {
  return header === undefined || header.length > MAX_HEADER ? undefined : parse(header)?.get('sig1');
}

function coversAll(names: readonly string[]): names is Component[] {
  return names.length === CALL_COMPONENTS.length && CALL_COMPONENTS.every((name) => names.includes(name));
}

function isInTime(created: number | undefined, expires: number, nowSeconds: number): boolean {
  return (
    created !== undefined &&
    created <= nowSeconds + SKEW_SECONDS &&
    expires >= nowSeconds - SKEW_SECONDS &&
    expires > created &&
    expires - created <= MAX_CALL_VALIDITY_SECONDS
  );
}

function textOf({ params }: SignatureInput, name: string): string | undefined {
  const value = params.get(name);
  return value?.type === 'string' ? value.value : undefined;
}

function integerOf({ params }: SignatureInput, name: string): number | undefined {
  const value = params.get(name);
  return value?.type === 'integer' ? value.value : undefined;
}
