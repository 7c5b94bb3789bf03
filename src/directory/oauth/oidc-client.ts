import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { checkIdToken } from './id-token.ts';
import type { SignInVerdict } from './id-token.ts';
import { issuerAt } from './jwks-of-issuer.ts';
import type { IssuerMetadata } from './jwks-of-issuer.ts';

/** This installation as an application at an identity provider. */
export interface OidcSettings {
  /** Exactly as the provider's tokens spell it. */
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export interface OidcClientDeps extends OidcSettings {
  /** One that trusts what the operator set, and what the provider says of itself. */
  outbound: Pick<Outbound, 'fetchJson' | 'send'>;
  clock: Clock;
  log: Logger;
}

/** What one sign-in is asked with; the first three are random. */
export interface SignInAsked {
  state: string;
  nonce: string;
  /** RFC 7636. */
  code_verifier: string;
  redirect_uri: string;
  /** In seconds, how long ago they may have proved who they are; the provider asks them to anew. Absent: as long ago as it takes. */
  max_age?: number | undefined;
}

/** The authorization code flow of OpenID Connect, with PKCE and nonce. */
export interface OidcClient {
  issuer: string;
  /** Where a browser goes to sign in. @throws {AppError} `SERVICE_UNAVAILABLE`. */
  authorizationUrl(asked: SignInAsked): Promise<string>;
  /**
   * Who has signed in, by what the browser brought back.
   * @throws {AppError} `SERVICE_UNAVAILABLE` when the provider, or its keys, cannot be had.
   */
  identityOf(answer: { code: string; iss: string | undefined }, asked: SignInAsked): Promise<SignInVerdict>;
}

const KNOWN_MS = 600_000;
/** After a failure nothing asks again for so long. */
const COOL_DOWN_MS = 5_000;
const TOKEN_REQUEST = { totalTimeoutMs: 10_000, maxResponseBytes: 65_536 } as const;

const Endpoints = z.object({ authorization_endpoint: z.url(), token_endpoint: z.url() });
type Endpoints = z.infer<typeof Endpoints> & IssuerMetadata;

const TokenAnswer = z.object({ id_token: z.string().max(32_768) });
const TokenError = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

export function createOidcClient({ issuer, clientId, clientSecret, ...deps }: OidcClientDeps): OidcClient {
  const { outbound, clock, log } = deps;
  const source = issuerAt({ ...deps, operatorOutbound: outbound, issuer });
  let known: { endpoints: Endpoints; until: number } | undefined;
  let failedAt = -Infinity;

  let finding: Promise<Endpoints> | undefined;

  /** Strangers begin sign-ins at will: however many do at once, the provider is asked once. */
  async function endpoints(): Promise<Endpoints> {
    if (known !== undefined && clock.now() < known.until) return known.endpoints;
    if (clock.now() < failedAt + COOL_DOWN_MS) throw away();
    finding ??= found().finally(() => {
      finding = undefined;
    });
    return finding;
  }

  async function found(): Promise<Endpoints> {
    try {
      const metadata = await source.metadata();
      const endpoints = { ...metadata, ...Endpoints.parse(metadata) };
      for (const url of [endpoints.authorization_endpoint, endpoints.token_endpoint]) assertAsSafe(url, issuer);
      known = { endpoints, until: clock.now() + KNOWN_MS };
      return endpoints;
    } catch (error) {
      log.warn({ err: error, issuer }, 'the identity provider does not say where to sign in');
      failedAt = clock.now();
      throw away();
    }
  }

  async function idTokenFor(code: string, { code_verifier, redirect_uri }: SignInAsked, found: Endpoints) {
    const methods = found.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody = !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, code_verifier, redirect_uri });
    if (isInBody)
      for (const [name, value] of [
        ['client_id', clientId],
        ['client_secret', clientSecret],
      ] as const)
        form.set(name, value);
    const answer = await outbound.send({
      ...TOKEN_REQUEST,
      url: found.token_endpoint,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(!isInBody && { authorization: basic(clientId, clientSecret) }),
      },
      body: form.toString(),
    });
    if (answer.kind !== 'response' || answer.status >= 500) {
      const why = answer.kind === 'response' ? answer.status : answer.kind;
      log.warn({ issuer, why }, 'the identity provider takes no codes');
      throw away();
    }
    const body = parsed(answer.body);
    if (answer.status === 200) return TokenAnswer.safeParse(body).data?.id_token;
    const { error = 'unknown' } = TokenError.safeParse(body).data ?? {};
    log.warn({ issuer, status: answer.status, error }, 'the identity provider refused a code');
    return undefined;
  }

  return {
    issuer,
    async authorizationUrl({ state, nonce, code_verifier, redirect_uri, max_age }) {
      const url = new URL((await endpoints()).authorization_endpoint);
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
      const query = {
        ...{ response_type: 'code', client_id: clientId, redirect_uri, scope: 'openid email profile' },
        ...{ state, nonce, code_challenge, code_challenge_method: 'S256' },
        ...(max_age !== undefined && { max_age: String(max_age), prompt: 'login' }),
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
    async identityOf({ code, iss }, asked) {
      const found = await endpoints();
      // RFC 9207: an answer of another provider must not be taken to this one.
      const saysIssuer = found.authorization_response_iss_parameter_supported === true;
      if (iss === undefined ? saysIssuer : iss !== issuer) return { refused: 'the answer is of another provider' };
      const token = await idTokenFor(code, asked, found);
      if (token === undefined) return { refused: 'the provider gave no ID token for the code' };
      const { nonce, max_age } = asked;
      return checkIdToken(token, { issuer, client_id: clientId, nonce, max_age, keys: source.keys, clock });
    },
  };
}

/** RFC 6749, section 2.3.1. */
function basic(id: string, secret: string): string {
  const encoded = [id, secret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

/** A provider reached by https names no place without it. */
function assertAsSafe(url: string, issuer: string): void {
  if (new URL(url).protocol === 'https:' || new URL(issuer).protocol === 'http:') return;
  throw new Error(`${url} is no https URL`);
}

function away(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'the identity provider cannot be reached now; try again', {
    retry_after: 5,
  });
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
