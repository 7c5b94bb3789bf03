import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { JWTPayload } from 'jose';

export const CLIENT = { clientId: 'the-console', clientSecret: 'a secret: of the console & no other' };

/** An OpenID provider whose person has signed in already; what it says of them, and how it lies, is the test's to choose. */
export interface IdentityProvider {
  issuer: string;
  /** Who is signed in there. */
  person: Record<string, unknown>;
  /** Changes the claims of ID tokens, each of which is good without. */
  claims: (good: JWTPayload) => JWTPayload;
  /** Makes ID tokens in another way. */
  sign: ((claims: JWTPayload) => Promise<string>) | undefined;
  /** Changes the metadata. */
  metadata: Record<string, unknown>;
  /** Whether it sends browsers back with RFC 9207's `iss`, and which. */
  iss: string | undefined;
  /** Sends browsers back with this error. */
  error: string | undefined;
  isAway: boolean;
  /** Codes exchanged so far. */
  exchanged: number;
  /** Signs with a new key, and publishes no other. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

export async function openIdentityProvider(clock: { now(): number }): Promise<IdentityProvider> {
  let key = await newKey();
  /** What each code was asked with. */
  const codes = new Map<string, URLSearchParams>();

  const server = createServer((request, response) => {
    void answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (provider.isAway) json(503, {});
    else if (url.pathname === '/.well-known/openid-configuration')
      json(200, {
        issuer,
        jwks_uri: `${issuer}/jwks`,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        ...provider.metadata,
      });
    else if (url.pathname === '/jwks') json(200, { keys: [{ ...key.jwk, kid: key.kid, use: 'sig' }] });
    else if (url.pathname === '/authorize') response.writeHead(302, { location: back(url.searchParams) }).end();
    else if (url.pathname === '/token') await token(request, json);
    else json(404, {});
  }

  function back(asked: URLSearchParams): string {
    const to = new URL(asked.get('redirect_uri') ?? '');
    to.searchParams.set('state', asked.get('state') ?? '');
    if (provider.iss !== undefined) to.searchParams.set('iss', provider.iss);
    if (provider.error !== undefined) {
      to.searchParams.set('error', provider.error);
      return to.href;
    }
    const code = randomUUID();
    codes.set(code, asked);
    to.searchParams.set('code', code);
    return to.href;
  }

  async function token(request: IncomingMessage, json: (status: number, body: unknown) => unknown): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const asked = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    if (!isClient(request, form)) return void json(401, { error: 'invalid_client' });
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood =
      asked?.get('code_challenge') === challenge &&
      asked.get('code_challenge_method') === 'S256' &&
      asked.get('redirect_uri') === form.get('redirect_uri') &&
      form.get('grant_type') === 'authorization_code';
    if (!isGood) return void json(400, { error: 'invalid_grant' });
    provider.exchanged += 1;
    const now = Math.floor(clock.now() / 1000);
    const claims = provider.claims({
      ...{ iss: issuer, aud: CLIENT.clientId, iat: now, exp: now + 300, nonce: asked.get('nonce') },
      ...provider.person,
    });
    const id_token =
      (await provider.sign?.(claims)) ??
      (await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(key.privateKey));
    return void json(200, { id_token, access_token: randomUUID(), token_type: 'Bearer' });
  }

  const provider: IdentityProvider = {
    issuer,
    person: {},
    claims: (good) => good,
    sign: undefined,
    metadata: {},
    iss: undefined,
    error: undefined,
    isAway: false,
    exchanged: 0,
    async rotate() {
      key = await newKey();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;
}

/** By `client_secret_basic`, or in the body where the metadata say so. */
function isClient(request: IncomingMessage, form: URLSearchParams): boolean {
  if (form.has('client_secret')) {
    return form.get('client_id') === CLIENT.clientId && form.get('client_secret') === CLIENT.clientSecret;
  }
  const [scheme, given = ''] = (request.headers.authorization ?? '').split(' ');
  const pair = Buffer.from(given, 'base64').toString().split(':');
  const [id, secret] = pair.map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
  return scheme === 'Basic' && id === CLIENT.clientId && secret === CLIENT.clientSecret;
}

async function newKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { privateKey, jwk: await exportJWK(publicKey), kid: randomBytes(8).toString('hex') };
}
