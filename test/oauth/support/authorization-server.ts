import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { RequestListener } from 'node:http';
import { COLLECTIONS } from '../../../src/main/wiring/collections.ts';
import type { ConfiguredClient } from '../../../src/oauth/client/client.ts';
import type { OAuthContext } from '../../../src/oauth/context.ts';
import { developmentIdentityProvider } from '../../../src/oauth/identity-provider.ts';
import { tokenKeySet } from '../../../src/oauth/keys/token-key-set.ts';
import type { TokenKeySet } from '../../../src/oauth/keys/token-key-set.ts';
import { metadataRoutes } from '../../../src/oauth/metadata.ts';
import { oauthRouter } from '../../../src/oauth/router.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { protocolNames } from '../../../src/platform/protocol-name.ts';
import { createRateLimiter } from '../../../src/platform/redis/rate-limit-redis.ts';
import { sealer } from '../../../src/platform/crypto/sealer.ts';
import { slowWindows } from '../../support/slow-windows.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { Installation } from '../../directory/support/installation.ts';
import { allowInBrowser, freshAddress } from './browser.ts';
import type { Browser, Person } from './browser.ts';

export const ADA: Person = { email: 'ada@acme.example', password: 'correct horse battery' };
export const BOB: Person = { email: 'bob@bolt.example', password: 'another long password' };
export const CLIENT = 'console';
export const REDIRECT = 'https://console.example/callback?from=agent';
const SECRET = 'a secret of this test that is long enough';

/** An authorization server, as two processes over one store. One for a file: tests share no client address but one. */
export interface AuthorizationServer extends Installation {
  baseUrl: string;
  /** The same installation in another process. */
  otherUrl: string;
  context: OAuthContext;
  keySet: TokenKeySet;
  /** A request that is good but for the changes; undefined leaves a parameter out. */
  authorizeUrl(changes?: Record<string, string | undefined>, verifier?: string): string;
  /** A code that ADA allowed. */
  code(changes?: Record<string, string | undefined>, browser?: Browser): Promise<{ code: string; verifier: string }>;
  /** A first answer of the token endpoint. */
  tokens(changes?: Record<string, string | undefined>): Promise<TokenAnswer>;
  exchange(code: { code: string; verifier: string }, changes?: Form, at?: string): Promise<TokenAnswer>;
  refresh(refreshToken: string | undefined, changes?: Form, at?: string): Promise<TokenAnswer>;
  post(path: string, form: Form | URLSearchParams, at?: string): Promise<TokenAnswer>;
}

type Form = Record<string, string>;

export interface TokenAnswer {
  status: number;
  headers: Headers;
  error?: string;
  error_description?: string;
  access_token: string;
  refresh_token: string;
  scope?: string;
  expires_in?: number;
}

export async function startAuthorizationServer(
  kind: Store['kind'],
  {
    clients = [],
    ...options
  }: Partial<Pick<OAuthContext, 'isRegistrationOpen' | 'identityProvider'>> & { clients?: ConfiguredClient[] } = {},
): Promise<AuthorizationServer> {
  const at = await installation(COLLECTIONS, kind);
  const prefix = `oauth-${randomUUID()}`;
  const limiter = slowWindows(
    createRateLimiter({ connection: process.env['REDIS_TEST_URL'] ?? '', prefix, logger: silent }),
  );
  const servers = [await listening(), await listening()] as const;
  const [baseUrl, otherUrl] = [urlOf(servers[0]), urlOf(servers[1])];
  const contextOn = (store: Store): OAuthContext => ({
    ...{
      store,
      clock: at.clock,
      ids: at.ids,
      log: silent,
      security: at.security,
      limiter,
      names: protocolNames(),
      secret: SECRET,
      baseUrl,
    },
    sealer: sealer(SECRET),
    clients: [
      { client_id: CLIENT, client_name: 'Console <b>', redirect_uris: [REDIRECT, 'http://127.0.0.1/cb'] },
      ...clients,
    ],
    identityProvider: developmentIdentityProvider([ADA, BOB]),
    isRegistrationOpen: false,
    ...options,
  });
  const context = contextOn(at.store);
  const keySet = tokenKeySet(context);
  const otherStore = await at.another();
  for (const [server, own] of [
    [servers[0], context],
    [servers[1], contextOn(otherStore)],
  ] as const) {
    const app = express();
    app.set('trust proxy', true);
    app.use(metadataRoutes({ baseUrl, issuer: baseUrl, isRegistrationOpen: own.isRegistrationOpen }));
    app.use(oauthRouter(own, own === context ? keySet : tokenKeySet(own)));
    server.on('request', app as RequestListener);
  }

  const authorizeUrl: AuthorizationServer['authorizeUrl'] = (changes = {}, verifier = newVerifier()) => {
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: CLIENT,
      redirect_uri: REDIRECT,
      state: 'the state',
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      ...changes,
    };
    const query = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return `${baseUrl}/oauth/authorize?${new URLSearchParams(query).toString()}`;
  };

  const server: AuthorizationServer = {
    ...at,
    ...{ baseUrl, otherUrl, context, keySet, authorizeUrl },
    async code(changes, browser) {
      const verifier = newVerifier();
      const answer = await allowInBrowser(authorizeUrl(changes, verifier), ADA, browser && { browser });
      return { code: answer.searchParams.get('code') ?? '', verifier };
    },
    async tokens(changes) {
      return server.exchange(
        await server.code(changes),
        changes?.['redirect_uri'] === undefined ? {} : { redirect_uri: changes['redirect_uri'] },
      );
    },
    exchange({ code, verifier }, changes = {}, where) {
      const form = {
        grant_type: 'authorization_code',
        client_id: CLIENT,
        redirect_uri: REDIRECT,
        code,
        code_verifier: verifier,
      };
      return server.post('/oauth/token', { ...form, ...changes }, where);
    },
    refresh(refresh_token = '', changes = {}, where) {
      return server.post(
        '/oauth/token',
        { grant_type: 'refresh_token', client_id: CLIENT, refresh_token, ...changes },
        where,
      );
    },
    async post(path, form, where = baseUrl) {
      const response = await fetch(where + path, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { 'x-forwarded-for': freshAddress() },
      });
      const text = await response.text();
      const body = (text === '' ? {} : JSON.parse(text)) as TokenAnswer;
      return { ...body, status: response.status, headers: response.headers };
    },
    async close() {
      for (const each of servers) {
        each.closeAllConnections();
        await new Promise((resolve) => each.close(resolve));
      }
      await limiter.close();
      await at.close();
    },
  };
  return server;
}

export function newVerifier(): string {
  return randomBytes(32).toString('base64url');
}

export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

async function listening(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
