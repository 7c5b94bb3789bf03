import { Router } from 'express';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { addressKey } from '../platform/client-address.ts';
import { AppError } from '../platform/errors.ts';
import { HTTP_STATUS } from '../platform/http-status.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import type { RateLimit } from '../platform/redis/rate-limit.ts';
import { sendPage } from './authorize/answer.ts';
import { authorizeRoutes } from './authorize/authorize-routes.ts';
import { problemPage } from './authorize/pages.ts';
import { registerClient } from './client/register.ts';
import type { OAuthContext } from './context.ts';
import { openToAllOrigins } from './cors.ts';
import type { TokenKeySet } from './keys/token-key-set.ts';
import { PATHS, publicly } from './metadata.ts';
import { OAuthError } from './oauth-error.ts';
import { readForm, readMetadata } from './read-input.ts';
import { tokenEndpoint } from './token/token-endpoint.ts';

/** Requests of one address. */
const LIMITS = {
  authorize: { name: 'oauth-authorize', points: 60, seconds: 60 },
  token: { name: 'oauth-token', points: 120, seconds: 60 },
  register: { name: 'oauth-register', points: 10, seconds: 3600 },
  jwks: { name: 'oauth-jwks', points: 300, seconds: 60 },
} as const satisfies Record<string, RateLimit>;

/**
 * The embedded authorization server (OAuth 2.1, rule R13): code flow with PKCE S256 for public applications, refresh
 * rotation with reuse detection, revocation, and registration where it is allowed. Mount it at the origin's root.
 */
export function oauthRouter(context: OAuthContext, keySet: TokenKeySet): Router {
  const endpoint = tokenEndpoint(context, keySet);
  const readFields = readForm(INPUT_LIMITS.oauthBodyBytes);
  const router = Router();

  const limited =
    (limit: RateLimit, refuse = refuseApplication): RequestHandler =>
    async (req, res, next) => {
      const { allowed, resetSeconds } = await context.limiter.take(limit, addressKey(req.ip ?? ''));
      if (allowed) {
        next();
        return;
      }
      res.set('Retry-After', String(resetSeconds));
      refuse(res, resetSeconds);
    };

  router.use([PATHS.authorize, PATHS.login, PATHS.consent], limited(LIMITS.authorize, refusePerson));
  router.use(authorizeRoutes(context));

  router.use([PATHS.token, PATHS.revoke, PATHS.register, PATHS.jwks], openToAllOrigins);
  router.get(PATHS.jwks, limited(LIMITS.jwks), publicly, async (_req, res) => {
    res.json(await keySet.jwks());
  });
  router.post(PATHS.token, limited(LIMITS.token), unstored, publicClientsOnly, readFields, async (req, res) => {
    res.json(await endpoint.token(req.body));
  });
  router.post(PATHS.revoke, limited(LIMITS.token), unstored, publicClientsOnly, readFields, async (req, res) => {
    await endpoint.revoke(req.body);
    res.status(200).end();
  });
  if (context.isRegistrationOpen) {
    router.post(PATHS.register, limited(LIMITS.register), unstored, readMetadata, async (req, res) => {
      res.status(201).json(await registerClient(context, req.body));
    });
  }
  router.use(refusal);
  return router;
}

function refuseApplication(res: Response, seconds: number): void {
  const error_description = `too many requests; try again in ${seconds} seconds`;
  res.status(429).set('Cache-Control', 'no-store').json({ error: 'temporarily_unavailable', error_description });
}

function refusePerson(res: Response, seconds: number): void {
  sendPage(res, 429, problemPage(`Too many requests from your address. Try again in ${seconds} seconds.`));
}

const unstored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};

/** Applications here have no secrets, so one that shows some is mistaken about where it is. */
const publicClientsOnly: RequestHandler = (req, _res, next) => {
  if (req.get('authorization') === undefined) next();
  else next(new OAuthError('invalid_client', 'clients here are public: send client_id in the form, and no secret'));
};

const refusal: ErrorRequestHandler = (error: unknown, req, res, next) => {
  if (error instanceof AppError && error.details.retry_after !== undefined && !res.headersSent) {
    const { retry_after } = error.details;
    res.status(HTTP_STATUS[error.code]).set({ 'Retry-After': String(retry_after), 'Cache-Control': 'no-store' });
    res.json({ error: 'temporarily_unavailable', error_description: printable(error.message) });
    return;
  }
  const known = knownError(error);
  if (known === undefined || res.headersSent) {
    next(error);
    return;
  }
  const isChallenged = known.code === 'invalid_client' && req.get('authorization') !== undefined;
  if (isChallenged) res.set('WWW-Authenticate', 'Basic realm="none"');
  res.set('Cache-Control', 'no-store');
  res.status(known.code === 'invalid_client' ? 401 : 400);
  res.json({ error: known.code, error_description: printable(known.message) });
};

/** What a request is refused for; a fault of ours is none. */
function knownError(error: unknown): OAuthError | undefined {
  if (error instanceof OAuthError) return error;
  return error instanceof AppError && HTTP_STATUS[error.code] < 500
    ? new OAuthError('invalid_request', error.message)
    : undefined;
}

/** What `error_description` may hold (RFC 6749, 5.2). */
function printable(message: string): string {
  return message.replace(/[^\x20-\x7e]|["\\]/g, ' ');
}
