import { createLocalJWKSet, errors } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';

/** What is used of an authorization server's metadata (RFC 8414). */
const IssuerMetadata = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  /** RFC 9207. */
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type IssuerMetadata = z.infer<typeof IssuerMetadata>;

const Jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

export interface IssuerDeps {
  /** An `https` URL, as it stands in tokens. */
  issuer: string;
  /** To whatever the issuer names elsewhere. */
  outbound: Pick<Outbound, 'fetchJson'>;
  /** To the issuer itself, whose address the operator set (rule S4.operator-addresses). */
  operatorOutbound: Pick<Outbound, 'fetchJson'>;
  clock: Clock;
  log: Logger;
}

export interface Issuer {
  /** The keys for `jwtVerify`. @throws {AppError} `SERVICE_UNAVAILABLE` while none could ever be had. */
  keys: JWTVerifyGetKey;
  /** The issuer's metadata as they are now. @throws {Error} when they cannot be had. */
  metadata(): Promise<IssuerMetadata>;
}

/** How long fetched keys are used without asking again. */
const CACHE_MS = 600_000;
/** How long after a fetch, good or bad, nothing makes another: neither an unknown key id nor keys grown old. */
const COOL_DOWN_MS = 30_000;
const FETCH = { maxBytes: 262_144, totalTimeoutMs: 5_000 } as const;

/**
 * An authorization server elsewhere, found by its URL alone. Its own origin may be in a network of the operator's; keys that it
 * names elsewhere are fetched through the guarded client. They are kept for ten minutes, and fetched anew for a key id that is
 * not among them, at most every 30 seconds, since anybody can make such ids up. When fetching fails the known keys go on.
 */
export function issuerAt({ issuer, outbound, operatorOutbound, clock, log }: IssuerDeps): Issuer {
  let known: JWTVerifyGetKey | undefined;
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let fetching: Promise<void> | undefined;

  async function metadata(): Promise<IssuerMetadata> {
    const problems: string[] = [];
    for (const url of metadataUrls(issuer)) {
      const parsed = IssuerMetadata.safeParse(await fetched(url));
      if (parsed.success && parsed.data.issuer === issuer) return parsed.data;
      problems.push(`${url} ${parsed.success ? 'names another issuer' : 'is no metadata document'}`);
    }
    throw new Error(problems.join('; '));
  }

  async function fetched(url: string): Promise<unknown> {
    // Keys that came by plain http could be anybody's: that is for loopback, as the guard has it.
    const isItsOwn = url.startsWith('https:') && new URL(url).origin === new URL(issuer).origin;
    const result = await (isItsOwn ? operatorOutbound : outbound).fetchJson(url, FETCH);
    return result.kind === 'response' && result.status === 200 ? result.json : undefined;
  }

  function refresh(): Promise<void> {
    triedAt = clock.now();
    fetching ??= metadata()
      .then(async ({ jwks_uri }) => {
        known = createLocalJWKSet(Jwks.parse(await fetched(jwks_uri)));
        fetchedAt = clock.now();
      })
      .catch((error: unknown) => {
        log.warn({ err: error, issuer }, "the token issuer's keys cannot be had");
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  const mayFetch = () => clock.now() >= triedAt + COOL_DOWN_MS;

  return {
    metadata,
    async keys(header, token) {
      if (clock.now() >= fetchedAt + CACHE_MS && mayFetch()) await refresh();
      else await fetching;
      if (known === undefined) {
        throw new AppError('SERVICE_UNAVAILABLE', 'tokens cannot be checked now; try again', { retry_after: 30 });
      }
      try {
        return await known(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !mayFetch()) throw error;
        await refresh();
        return known(header, token);
      }
    },
  };
}

/** Where an issuer's metadata may be: RFC 8414's place, then OpenID Connect Discovery's. */
export function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}
