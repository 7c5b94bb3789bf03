import { inspect } from 'node:util';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import type { SignatureAlg } from '#receiver/wire/algorithms';
import {
  generateSigningKey,
  isWorkingKey,
  signingKeyFromJwk,
  signingKeyToJwk,
} from '../../../src/webhooks/signing/signing-key.ts';

const names = protocolNames();
const algs: SignatureAlg[] = ['ed25519', 'ecdsa-p256-sha256'];

describe.each(algs)('a signing key for %s', (alg) => {
  const key = generateSigningKey(alg, { names });

  it('publishes what a verifier needs and nothing private', () => {
    const shape =
      alg === 'ed25519' ? { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' } : { kty: 'EC', crv: 'P-256', alg: 'ES256' };
    const { x, y, ...rest } = key.publicJwk;
    expect(rest).toEqual({ ...shape, kid: key.kid, use: 'sig', key_ops: ['verify'], proto_use: 'request-signing' });
    expect(x).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(y === undefined).toBe(alg === 'ed25519');
  });

  it('has its RFC 7638 thumbprint for a kid, unless one is given', async () => {
    expect(key.kid).toBe(await calculateJwkThumbprint(key.publicJwk));
    expect(generateSigningKey(alg, { names, kid: 'webhooks-2026' }).publicJwk.kid).toBe('webhooks-2026');
  });

  it('has a name that no command line takes for an option', () => {
    const kids = Array.from({ length: 300 }, () => generateSigningKey(alg, { names }).kid);
    expect(kids.filter((kid) => kid.startsWith('-'))).toEqual([]);
  });

  it('[N1] names its use after the protocol', () => {
    expect(generateSigningKey(alg, { names: protocolNames('adcp') }).publicJwk).toMatchObject({
      adcp_use: 'request-signing',
    });
  });

  it('comes back whole from its private JWK', () => {
    const copy = signingKeyFromJwk(signingKeyToJwk(key), { names });
    expect(copy.publicJwk).toEqual(key.publicJwk);
    expect(copy.kid).toBe(key.kid);
    expect(isWorkingKey(copy)).toBe(true);
  });

  it('shows nothing private when it is logged or made JSON', () => {
    const d = String(signingKeyToJwk(key).d);
    expect(inspect(key, { depth: null, showHidden: true }) + JSON.stringify(key)).not.toContain(d);
  });

  it('does not work with the public half of another', () => {
    expect(isWorkingKey({ ...key, publicJwk: generateSigningKey(alg, { names }).publicJwk })).toBe(false);
    expect(isWorkingKey({ ...key, publicJwk: { ...key.publicJwk, x: '' } })).toBe(false);
  });

  it('refuses a private JWK whose halves do not belong together', () => {
    const other = signingKeyToJwk(generateSigningKey(alg, { names }));
    expect(() => signingKeyFromJwk({ ...signingKeyToJwk(key), x: other.x, y: other.y }, { names })).toThrow(TypeError);
  });

  it('refuses a public JWK, without telling of it', () => {
    expect(() => signingKeyFromJwk(key.publicJwk, { names })).toThrow(/Ed25519 or P-256 private JWK/);
  });
});

describe('signing keys', () => {
  it.each([
    {},
    { kty: 'RSA', n: 'AQ', e: 'AQAB', d: 'AQ' },
    { kty: 'OKP', crv: 'X25519' },
    { kty: 'EC', crv: 'P-384' },
  ])('refuses a key of another kind: %j', (jwk) => {
    expect(() => signingKeyFromJwk(jwk, { names })).toThrow(TypeError);
  });

  it.each(['', 'a b', 'a"b', 'a\\b', 'é', 'x'.repeat(256), 'a\n'])(
    'refuses the kid %j, which no header can carry',
    (kid) => {
      expect(() => generateSigningKey('ed25519', { names, kid })).toThrow(TypeError);
    },
  );
});
