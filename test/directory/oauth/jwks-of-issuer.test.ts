import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { CryptoKey, JWK } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accessTokenVerifier } from '../../../src/directory/oauth/access-token.ts';
import type { VerifyAccessToken } from '../../../src/directory/oauth/access-token.ts';
import { issuerAt } from '../../../src/directory/oauth/jwks-of-issuer.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../../../src/platform/outbound/outbound-client.ts';
import { selfSigned } from '../../platform/outbound/support/certificate.ts';
import { serveHttps } from '../../platform/outbound/support/servers.ts';
import { silent, testClock } from '../support/installation.ts';
import type { TestClock } from '../support/installation.ts';

const AUDIENCE = 'https://agent.test.example/api';

/** An issuer elsewhere: its documents, and how often each was asked for. */
let documents: Record<string, unknown>;
let asked: string[];
let server: Server;
let issuer: string;
let outbound: Outbound;
let clock: TestClock;
let verify: VerifyAccessToken;

beforeEach(async () => {
  [documents, asked, clock] = [{}, [], testClock()];
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tenant`;
  documents['/tenant/.well-known/openid-configuration'] = { issuer, jwks_uri: issuer.replace('/tenant', '/jwks') };
  outbound = createOutbound({ allowLoopback: true });
  const { keys } = issuerAt({ issuer, outbound, operatorOutbound: outbound, clock, log: silent });
  verify = accessTokenVerifier({ issuer, audience: AUDIENCE, keys, clock });
});

afterEach(async () => {
  await outbound.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function newKey(kid: string): Promise<{ privateKey: CryptoKey; jwk: JWK; kid: string }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { privateKey, kid, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}

function tokenBy({ privateKey, kid }: { privateKey: CryptoKey; kid: string }): Promise<string> {
  const seconds = Math.floor(clock.now() / 1000);
  return new SignJWT({ iss: issuer, aud: AUDIENCE, sub: 'ada', exp: seconds + 600 })
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
    .sign(privateKey);
}

const jwksFetches = () => asked.filter((url) => url === '/jwks').length;

it('[R13] an issuer elsewhere is found by its URL, and its keys are fetched once for all tokens', async () => {
  const key = await newKey('a');
  documents['/jwks'] = { keys: [key.jwk] };
  const tokens = await Promise.all(Array.from({ length: 10 }, () => tokenBy(key)));
  expect((await Promise.all(tokens.map(verify))).every((verified) => verified !== undefined)).toBe(true);
  expect(asked).toEqual([
    '/.well-known/oauth-authorization-server/tenant',
    '/tenant/.well-known/openid-configuration',
    '/jwks',
  ]);
});

it('a key that is new is fetched for, but unknown keys make no more than one fetch in thirty seconds', async () => {
  const [old, fresh] = [await newKey('a'), await newKey('b')];
  documents['/jwks'] = { keys: [old.jwk] };
  expect(await verify(await tokenBy(old))).toBeDefined();
  documents['/jwks'] = { keys: [old.jwk, fresh.jwk] };
  for (let i = 0; i < 5; i++) expect(await verify(await tokenBy(fresh))).toBeUndefined();
  expect(jwksFetches()).toBe(1);
  clock.advance(30_000);
  expect(await verify(await tokenBy(fresh))).toBeDefined();
  const made = await Promise.all(Array.from({ length: 5 }, async (_, i) => tokenBy(await newKey(`made-up-${i}`))));
  for (const token of made) expect(await verify(token)).toBeUndefined();
  expect(jwksFetches()).toBe(2);
});

it('known keys go on while the issuer is away; without any, tokens cannot be checked', async () => {
  const key = await newKey('a');
  await expect(verify(await tokenBy(key))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  documents['/jwks'] = { keys: [key.jwk] };
  await expect(verify(await tokenBy(key))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  clock.advance(30_000);
  expect(await verify(await tokenBy(key))).toBeDefined();
  documents = {};
  clock.advance(3_600_000);
  expect(await verify(await tokenBy(key))).toBeDefined();
});

it('metadata that name another issuer are not believed', async () => {
  const key = await newKey('a');
  documents['/jwks'] = { keys: [key.jwk] };
  documents['/tenant/.well-known/openid-configuration'] = {
    issuer: 'https://elsewhere.example',
    jwks_uri: `${issuer}/jwks`,
  };
  await expect(verify(await tokenBy(key))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it('[S4.operator-addresses] an issuer may be in a network of the operator’s; what it names elsewhere may not', async () => {
  const identity = selfSigned({ dns: ['localhost'], ipv4: ['127.0.0.1'] });
  const { port } = await serveHttps(identity, (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    response.writeHead(documents[path] === undefined ? 404 : 200).end(JSON.stringify(documents[path] ?? {}));
  });
  issuer = `https://127.0.0.1:${port}/tenant`;
  documents['/tenant/.well-known/openid-configuration'] = { issuer, jwks_uri: issuer.replace('/tenant', '/jwks') };
  const guarded = createOutbound({ allowLoopback: false, ca: identity.cert });
  const operatorOutbound = createOutbound({ allowLoopback: false, trustsUrls: true, ca: identity.cert });
  try {
    const inside = { issuer, outbound: guarded, operatorOutbound, clock, log: silent };
    const verifyBy = (keys: ReturnType<typeof issuerAt>['keys']) =>
      accessTokenVerifier({ issuer, audience: AUDIENCE, keys, clock });
    const key = await newKey('a');
    documents['/jwks'] = { keys: [key.jwk] };
    expect(await verifyBy(issuerAt(inside).keys)(await tokenBy(key))).toBeDefined();

    const metadata = '/tenant/.well-known/openid-configuration';
    documents[metadata] = { issuer, jwks_uri: issuer.replace('127.0.0.1', 'localhost').replace('/tenant', '/jwks') };
    const fetches = jwksFetches();
    await expect(verifyBy(issuerAt(inside).keys)(await tokenBy(key))).rejects.toThrow('cannot be checked now');
    // The limits hold here, too: 256 KiB, and no redirects.
    documents[metadata] = { issuer, jwks_uri: issuer.replace('/tenant', '/jwks'), padding: 'x'.repeat(300_000) };
    await expect(verifyBy(issuerAt(inside).keys)(await tokenBy(key))).rejects.toThrow('cannot be checked now');
    expect(jwksFetches()).toBe(fetches);
    // Nor do keys come by plain http.
    const plain = issuerAt({ ...inside, issuer: issuer.replace('https:', 'http:') });
    await expect(plain.metadata()).rejects.toThrow('no metadata document');
  } finally {
    await Promise.all([guarded.close(), operatorOutbound.close()]);
  }
});
