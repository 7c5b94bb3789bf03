import { createHmac, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWTVerifyGetKey } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessTokenVerifier, userIdOf } from '../../../src/directory/oauth/access-token.ts';
import { AppError } from '../../../src/platform/errors.ts';

const ISSUER = 'https://id.test.example';
const AUDIENCE = 'https://agent.test.example/a2a';
const NOW = Date.parse('2026-06-01T12:00:00Z');

let privateKey: CryptoKey;
let publicKey: CryptoKey;
let keys: JWTVerifyGetKey;
beforeAll(async () => {
  ({ privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true }));
  keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] });
});

const verify = (token: string) =>
  accessTokenVerifier({ issuer: ISSUER, audience: AUDIENCE, keys, clock: { now: () => NOW } })(token);

function token(
  claims: Record<string, unknown> = {},
  header: object = {},
  key: CryptoKey | Uint8Array = privateKey,
): Promise<string> {
  const seconds = NOW / 1000;
  const payload = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'ada',
    iat: seconds,
    exp: seconds + 600,
    scope: 'tasks:read',
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt', ...header }).sign(key);
}

describe('[R13] an access token', () => {
  it('that is good says who, with which scopes', async () => {
    expect(
      await verify(await token({ email: 'Ada@Acme.example', email_verified: true, organization_id: 'org_1' })),
    ).toEqual({
      user_id: userIdOf(ISSUER, 'ada'),
      email: 'ada@acme.example',
      scopes: ['tasks:read'],
      organization_id: 'org_1',
    });
    expect(await verify(await token({ aud: ['https://other.example', AUDIENCE] }))).toBeDefined();
    expect(await verify(await token({}, { typ: 'application/at+jwt' }))).toBeDefined();
    expect(await verify(await token({ exp: NOW / 1000 - 20 }))).toBeDefined();
  });

  it('vouches for no address that its issuer has not verified', async () => {
    expect(await verify(await token({ email: 'ada@acme.example' }))).toMatchObject({ email: null });
    expect(await verify(await token({ email: 'ada@acme.example', email_verified: 'true' }))).toMatchObject({
      email: null,
    });
  });

  it.each<[string, Record<string, unknown>, object]>([
    ['of another issuer', { iss: 'https://id.test.example/' }, {}],
    ['of no issuer', { iss: undefined }, {}],
    ['for another resource', { aud: 'https://agent.test.example/api' }, {}],
    ['for none', { aud: undefined }, {}],
    ['that has expired', { exp: NOW / 1000 - 31 }, {}],
    ['that never expires', { exp: undefined }, {}],
    ['not yet good', { nbf: NOW / 1000 + 60 }, {}],
    ['of nobody', { sub: undefined }, {}],
    ['that is an ID token', {}, { typ: 'JWT' }],
    ['of no type', {}, { typ: undefined }],
    ['by a key that is not published', {}, { kid: 'k2' }],
    ['with an extension that must be understood', {}, { crit: ['x'], x: 1 }],
  ])('%s is refused', async (_, claims, header) => {
    const made = await token(claims, header).catch(() => forged({ kid: 'k1', alg: 'ES256', typ: 'at+jwt', ...header }));
    expect(await verify(made)).toBeUndefined();
  });

  it('without a signature, or with one by a public key taken as a secret, is refused', async () => {
    expect(await verify(forged({ alg: 'none', typ: 'at+jwt' }, ''))).toBeUndefined();
    const head = { alg: 'HS256', kid: 'k1', typ: 'at+jwt' };
    const signed = createHmac('sha256', await exportSPKI(publicKey))
      .update(forged(head, '').replace(/\.$/, ''))
      .digest('base64url');
    expect(await verify(forged(head, signed))).toBeUndefined();
  });

  it('that was changed, or signed by somebody else, is refused', async () => {
    const [head = '', body = '', signature = ''] = (await token()).split('.');
    const other = Buffer.from(
      JSON.stringify({ ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), sub: 'eve' }),
    );
    expect(await verify(`${head}.${other.toString('base64url')}.${signature}`)).toBeUndefined();
    expect(await verify(await token({}, {}, (await generateKeyPair('ES256')).privateKey))).toBeUndefined();
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    expect(await verify(await token({}, { alg: 'RS256' }, rsa as unknown as CryptoKey))).toBeUndefined();
  });

  it.each(['', 'x', 'a.b.c', 'eyJ.eyJ.x', '....'])('%j is refused', async (text) => {
    expect(await verify(text)).toBeUndefined();
  });

  it('that names no grant is refused where grants are known, and so is one whose grant has ended', async () => {
    const hasEnded = (grantId: string) => Promise.resolve(grantId !== 'grant_1');
    const check = accessTokenVerifier({
      ...{ issuer: ISSUER, audience: AUDIENCE, keys, clock: { now: () => NOW }, hasEnded },
    });
    expect(await check(await token({ grant_id: 'grant_1' }))).toBeDefined();
    for (const claims of [{}, { grant_id: 7 }, { grant_id: 'grant_2' }])
      expect(await check(await token(claims))).toBeUndefined();
  });

  it('is no question of good or bad while the keys cannot be had', async () => {
    const away = new AppError('SERVICE_UNAVAILABLE', 'tokens cannot be checked now');
    const check = accessTokenVerifier({
      ...{ issuer: ISSUER, audience: AUDIENCE, clock: { now: () => NOW } },
      keys: () => Promise.reject(away),
    });
    await expect(check(await token())).rejects.toBe(away);
  });
});

function forged(header: object, signature = 'AAAA'): string {
  const seconds = NOW / 1000;
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: seconds + 600 };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(payload)}.${signature}`;
}
