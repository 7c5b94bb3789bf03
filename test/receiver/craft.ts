import { createHash, sign } from 'node:crypto';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { memoryReplayStore, verifyWebhook } from '#receiver';
import type { Jwk, KeySource, ReceivedRequest, Refusal, Verified, VerifyRules } from '#receiver';
import { generateSigningKey } from '../../src/webhooks/signing/signing-key.ts';
import type { SigningKey } from '../../src/webhooks/signing/signing-key.ts';

export const NAMES = protocolNames();
/** 2026-03-01T12:00:00Z. */
export const NOW_SECONDS = 1_772_366_400;
export const NOW = NOW_SECONDS * 1000;
export const ED25519 = generateSigningKey('ed25519', { names: NAMES, kid: 'key-1' });
export const ES256 = generateSigningKey('ecdsa-p256-sha256', { names: NAMES, kid: 'key-2' });
export const BODY = '{"idempotency_key":"a-key-of-thirty-six-characters-long-1","task_id":"t1","status":"completed"}';

/** A request as a sender would sign it, with any part of it otherwise than the profile says. */
export interface Craft {
  method: string;
  url: string;
  /** The values of `@target-uri` and `@authority` that are signed, for `url`. */
  signedUri: string;
  signedAuthority: string;
  contentType: string;
  body: Buffer;
  components: string[];
  /** Texts of the parameters as they stand in the header; undefined leaves one out. */
  params: Record<string, string | undefined>;
  key: SigningKey;
}

/** What {@link craft} makes: free to be changed after it was signed. */
export interface Crafted extends ReceivedRequest {
  headers: Record<string, string>;
  rawBody: Buffer;
}

export function craft(change: Partial<Craft> = {}): Crafted {
  const key = change.key ?? ED25519;
  const request: Craft = {
    method: 'POST',
    url: 'https://buyer.example/hooks/sales?seller=1',
    signedUri: change.url ?? 'https://buyer.example/hooks/sales?seller=1',
    signedAuthority: 'buyer.example',
    contentType: 'application/json',
    body: Buffer.from(BODY),
    components: ['@method', '@target-uri', '@authority', 'content-type', 'content-digest'],
    key,
    ...change,
    params: {
      created: String(NOW_SECONDS),
      expires: String(NOW_SECONDS + 300),
      nonce: '"AAAAAAAAAAAAAAAAAAAAAA"',
      keyid: `"${key.kid}"`,
      alg: `"${key.alg}"`,
      tag: '"proto/webhook-signing/v1"',
      ...change.params,
    },
  };
  const { method, url, contentType, body } = request;
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64url')}:`;
  const params = paramsText(request);
  const values: Record<string, string> = {
    '@method': method,
    '@target-uri': request.signedUri,
    '@authority': request.signedAuthority,
    'content-type': contentType,
    'content-digest': digest,
  };
  const lines = request.components.map((name) => `"${name}": ${values[name] ?? ''}`);
  const base = [...lines, `"@signature-params": ${params}`].join('\n');
  return {
    method,
    url,
    rawBody: body,
    headers: {
      host: 'buyer.example',
      'content-type': contentType,
      'content-digest': digest,
      'signature-input': `sig1=${params}`,
      signature: `sig1=:${signed(base, request.key).toString('base64url')}:`,
    },
  };
}

function paramsText({ components, params }: Craft): string {
  const texts = Object.entries(params).flatMap(([name, text]) => (text === undefined ? [] : [`;${name}=${text}`]));
  return `(${components.map((name) => `"${name}"`).join(' ')})${texts.join('')}`;
}

function signed(base: string, { alg, privateKey }: SigningKey): Buffer {
  const bytes = Buffer.from(base);
  if (alg === 'ed25519') return sign(null, bytes, privateKey);
  return sign('sha256', bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

/** How a receiver of signed webhooks verifies: the rules, and where the keys are. */
export type SignedRules = VerifyRules & KeySource;

/** How a receiver that knows both keys verifies at {@link NOW}, with a memory of its own. */
export function rules(change: Partial<VerifyRules> & { keys?: readonly Jwk[] } = {}): SignedRules {
  const { keys = [ED25519.publicJwk, ES256.publicJwk], ...others } = change;
  return { jwks: { keys }, replay: memoryReplayStore(), now: () => NOW, ...others };
}

export function verifySigned(request: ReceivedRequest, options: SignedRules): Promise<Verified | Refusal> {
  const { jwks, resolveKey, ...others } = options;
  const source = resolveKey === undefined ? { jwks } : { resolveKey };
  return verifyWebhook(request, { mode: 'rfc9421', ...source }, others);
}
