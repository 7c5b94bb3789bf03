import { createHash } from 'node:crypto';
import { COVERED_COMPONENTS, signatureBase } from '#receiver/wire/signature-base';
import { canonicalTargetUri } from '#receiver/wire/target-uri';
import { decodeToken, encodeToken } from '#receiver/wire/tokens';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { isSignedBy } from './is-signed-by.ts';
import { bearerHeader } from '../../../src/webhooks/signing/bearer.ts';
import { signHmac } from '../../../src/webhooks/signing/hmac.ts';
import { signRequest } from '../../../src/webhooks/signing/http-signature.ts';
import { NOW, PRIVATE, PUBLIC_URL, SECRET, signingKeyOf } from './keys.ts';
import type { Alg, Publication } from './keys.ts';

/** One request, and what a receiver says of it. */
export interface RequestVector {
  name: string;
  registration: 'rfc9421' | 'hmac-sha256' | 'bearer';
  /** Unix seconds. */
  now: number;
  request: { method: string; url: string; headers: Record<string, string>; body: string };
  /** `ok`, or the code of the refusal. */
  expect: string;
  status: number;
  /** What was signed, for `rfc9421`. */
  signature_base?: string;
  /** How many times the same request came before. */
  before?: number;
  /** What the revocation list says of the key. */
  standing?: 'revoked' | 'stale';
  /** `full`: the key has used up its nonces. `fills`: it has by the time this nonce is recorded. */
  nonces?: 'full' | 'fills';
}

const URL = `${PUBLIC_URL}/hooks/sales?seller=1`;
const BODY = JSON.stringify({
  idempotency_key: '5e0c9a4e-6f0b-4c55-9a0d-6a1a2c3d4e5f',
  operation_id: 'op-1',
  task_id: 'task-1',
  status: 'completed',
  timestamp: '2026-03-01T12:00:00.000Z',
});
const TWICE = '{"idempotency_key":"k","idempotency_key":"l"}';

type Request = RequestVector['request'];
type More = Partial<Pick<RequestVector, 'now' | 'before' | 'standing' | 'nonces'>>;

/** How a request differs from a good one: while it is signed, or after. */
interface Fault extends More {
  name: string;
  expect: string;
  publication?: Publication;
  protocol?: string;
  body?: string;
  after?: (request: Request) => void;
}

const header = (name: string, value: (was: string) => string | undefined) => (request: Request) => {
  const changed = value(request.headers[name] ?? '');
  if (changed === undefined) Reflect.deleteProperty(request.headers, name);
  else request.headers[name] = changed;
};

/** Each step of the checklist, in its order (rule W12). */
const FAULTS: Fault[] = [
  { name: 'right', expect: 'ok' },
  { name: 'right, by a key of the public ecosystem', publication: '-adcp', expect: 'ok' },
  { name: 'right, by a key of the deprecated use', publication: '-deprecated-use', expect: 'ok' },
  {
    name: 'before: content type',
    after: header('Content-Type', () => 'text/plain'),
    expect: 'webhook_content_type_unsupported',
  },
  {
    name: 'before: mode',
    after: header('X-PROTO-Signature', () => 'sha256=00'),
    expect: 'webhook_mode_mismatch',
  },
  { name: 'step 1', after: header('Signature', () => undefined), expect: 'webhook_signature_header_malformed' },
  {
    name: 'step 2',
    after: header('Signature-Input', (input) => input.replace(/;nonce="[^"]*"/, '')),
    expect: 'webhook_signature_params_incomplete',
  },
  { name: 'step 3', protocol: 'other', expect: 'webhook_signature_tag_invalid' },
  {
    name: 'step 4',
    after: header('Signature-Input', (input) => input.replace(/alg="[^"]*"/, 'alg="rsa-pss-sha512"')),
    expect: 'webhook_signature_alg_not_allowed',
  },
  { name: 'step 5, too late', now: NOW + 361, expect: 'webhook_signature_window_invalid' },
  { name: 'step 5, too early', now: NOW - 61, expect: 'webhook_signature_window_invalid' },
  {
    name: 'step 6',
    after: header('Signature-Input', (input) => input.replace('"@authority" ', '')),
    expect: 'webhook_signature_components_incomplete',
  },
  { name: 'step 7', publication: '-unpublished', expect: 'webhook_signature_key_unknown' },
  { name: 'step 8', publication: '-other-use', expect: 'webhook_signature_key_purpose_invalid' },
  { name: 'step 9, marked', publication: '-revoked', expect: 'webhook_signature_key_revoked' },
  { name: 'step 9, listed', standing: 'revoked', expect: 'webhook_signature_key_revoked' },
  { name: 'step 9, no fresh list', standing: 'stale', expect: 'webhook_signature_revocation_stale' },
  { name: 'step 9, too many nonces', nonces: 'full', expect: 'webhook_signature_rate_abuse' },
  {
    name: 'step 10, no canonical URL',
    after: (request) => (request.url = `${PUBLIC_URL}/hooks/%zz`),
    expect: 'webhook_target_uri_malformed',
  },
  {
    name: 'step 10, another URL',
    after: (request) => (request.url = `${PUBLIC_URL}/hooks/other`),
    expect: 'webhook_signature_invalid',
  },
  {
    name: 'step 11',
    after: (request) => (request.body = BODY.replace('completed', 'failed')),
    expect: 'webhook_signature_digest_mismatch',
  },
  { name: 'step 12', before: 1, expect: 'webhook_signature_replayed' },
  { name: 'step 13', nonces: 'fills', expect: 'webhook_signature_rate_abuse' },
  { name: 'step 14', body: TWICE, expect: 'webhook_body_malformed' },
];

/** @param written the vectors as they stand, whose random signatures are kept. */
export function requestVectors(written: readonly RequestVector[]): RequestVector[] {
  const algs = Object.keys(PRIVATE) as Alg[];
  return [...algs.flatMap((alg) => FAULTS.map((fault) => signed(alg, fault, written))), ...hmac(), ...bearer()];
}

function signed(alg: Alg, fault: Fault, written: readonly RequestVector[]): RequestVector {
  const { publication = '', protocol, body = BODY, after, expect, now = NOW, before, standing, nonces } = fault;
  const name = `${alg}: ${fault.name}`;
  const headers: Record<string, string> = signRequest({
    url: URL,
    body: Buffer.from(body),
    key: signingKeyOf(alg, publication),
    now: NOW * 1000,
    names: protocolNames(protocol),
    nonce: encodeToken(createHash('sha256').update(name).digest().subarray(0, 16)),
  });
  const base = baseOf(headers);
  const kept = written.find((vector) => vector.name === name)?.request.headers['Signature'];
  if (kept !== undefined && isGood(alg, base, kept)) headers['Signature'] = kept;
  const request = { method: 'POST', url: URL, headers, body };
  after?.(request);
  const more = { ...(before && { before }), ...(standing && { standing }), ...(nonces && { nonces }) };
  return { ...vectorOf(name, 'rfc9421', request, expect, now), signature_base: base.toString('latin1'), ...more };
}

function baseOf(headers: Record<string, string>): Buffer {
  const target = canonicalTargetUri(URL);
  const values = {
    '@method': 'POST',
    '@target-uri': target?.uri ?? '',
    '@authority': target?.authority ?? '',
    'content-type': headers['Content-Type'] ?? '',
    'content-digest': headers['Content-Digest'] ?? '',
  };
  return Buffer.from(signatureBase(COVERED_COMPONENTS, values, (headers['Signature-Input'] ?? '').slice(5)));
}

function isGood(alg: Alg, base: Buffer, signature: string): boolean {
  const bytes = decodeToken(signature.slice(6, -1));
  return bytes !== undefined && isSignedBy(alg, PRIVATE[alg], base, bytes);
}

function hmac(): RequestVector[] {
  const by = (secret: string, body = BODY) => ({
    'Content-Type': 'application/json',
    ...signHmac({ body: Buffer.from(body), secret, now: NOW * 1000, names: protocolNames() }),
  });
  const one = (name: string, headers: Record<string, string>, expect: string, { body = BODY, now = NOW } = {}) =>
    vectorOf(`hmac: ${name}`, 'hmac-sha256', { method: 'POST', url: URL, headers, body }, expect, now);
  const { 'X-PROTO-Timestamp': _, ...withoutTimestamp } = by(SECRET) as Record<string, string>;
  return [
    one('right', by(SECRET), 'ok'),
    one('no timestamp', withoutTimestamp, 'webhook_signature_header_malformed'),
    one('another secret', by(`${SECRET}x`), 'webhook_signature_invalid'),
    one('another body', by(SECRET), 'webhook_signature_invalid', { body: `${BODY} ` }),
    one('301 s later', by(SECRET), 'webhook_signature_window_invalid', { now: NOW + 301 }),
    one('a token instead', { 'Content-Type': 'application/json', ...bearerHeader(SECRET) }, 'webhook_mode_mismatch'),
    one('a name twice', by(SECRET, TWICE), 'webhook_body_malformed', { body: TWICE }),
  ];
}

function bearer(): RequestVector[] {
  const json = { 'Content-Type': 'application/json' };
  const one = (name: string, headers: Record<string, string>, expect: string, body = BODY) =>
    vectorOf(`bearer: ${name}`, 'bearer', { method: 'POST', url: URL, headers: { ...json, ...headers }, body }, expect);
  const mac = signHmac({ body: Buffer.from(BODY), secret: SECRET, now: NOW * 1000, names: protocolNames() });
  return [
    one('right', bearerHeader(SECRET), 'ok'),
    one('no token', {}, 'webhook_signature_header_malformed'),
    one('another token', bearerHeader(`${SECRET}x`), 'webhook_signature_invalid'),
    one('a signature instead', mac, 'webhook_mode_mismatch'),
    one('a name twice', bearerHeader(SECRET), 'webhook_body_malformed', TWICE),
  ];
}

function vectorOf(
  name: string,
  registration: RequestVector['registration'],
  request: Request,
  expect: string,
  now = NOW,
): RequestVector {
  const status = expect === 'ok' ? 200 : expect === 'webhook_content_type_unsupported' ? 415 : 401;
  return { name, registration, now, request, expect, status };
}
