import { Router } from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { addressKey } from '../platform/client-address.ts';
import type { SpentBudget } from '../platform/budget/budget-table.ts';
import { AppError } from '../platform/errors.ts';
import { HTTP_STATUS } from '../platform/http-status.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
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

/**
 * The embedded authorization server (OAuth 2.1, rule R13): code flow with PKCE S256 for public applications, refresh
 * rotation with reuse detection, revocation, and registration where it is allowed. Mount it at the origin's root.
 */
export function oauthRouter(context: OAuthContext, keySet: TokenKeySet): Router {
  const endpoint = tokenEndpoint(context, keySet);
  const readFields = readForm(INPUT_LIMITS.oauthBodyBytes);
  const router = Router();

  const limited =
    (budget: SpentBudget, refuse = refuseApplication): RequestHandler =>
    async (req, res, next) => {
      try {
        await context.budgets.take(budget, addressKey(req.ip ?? ''));
        next();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refuse(res, error);
      }
    };

  /** Codes, tokens and names of applications that are none count as wrong credentials. */
  const counted = <T>(req: Request, work: Promise<T>): Promise<T> =>
    work.catch(async (error: unknown) => {
      const isWrong = error instanceof OAuthError && ['invalid_grant', 'invalid_client'].includes(error.code);
      if (isWrong) await context.budgets.take('failed_credentials', addressKey(req.ip ?? ''));
      throw error;
    });

  router.use([PATHS.authorize, PATHS.login, PATHS.consent, PATHS.signOut], limited('oauth_authorize', refusePerson));
  router.use(authorizeRoutes(context));

  router.use([PATHS.token, PATHS.revoke, PATHS.register, PATHS.jwks], openToAllOrigins);
  router.get(PATHS.jwks, limited('oauth_jwks'), publicly, async (_req, res) => {
    res.json(await keySet.jwks());
  });
  router.post(PATHS.token, limited('oauth_token'), unstored, publicClientsOnly, readFields, async (req, res) => {
    res.json(await counted(req, endpoint.token(req.body)));
  });
  router.post(PATHS.revoke, limited('oauth_token'), unstored, publicClientsOnly, readFields, async (req, res) => {
    await counted(req, endpoint.revoke(req.body));
    res.status(200).end();
  });
  if (context.isRegistrationOpen) {
    router.post(PATHS.register, limited('oauth_register'), unstored, readMetadata, async (req, res) => {
      res.status(201).json(await registerClient(context, req.body));
    });
  }
  router.use(refusal);
  return router;
}

/** What may be asked again later, as OAuth spells errors (RFC 6749, 5.2), and the budget beside it where it is one. */
function refuseApplication(res: Response, { code, message, details }: AppError): void {
  const body = { error: 'temporarily_unavailable', error_description: printable(message), ...details.details };
  res
    .status(HTTP_STATUS[code])
    .set({ ...retryAfter(details), 'Cache-Control': 'no-store' })
    .json(body);
}

function refusePerson(res: Response, { details }: AppError): void {
  const wait = `Try again in ${details.retry_after ?? 1} seconds.`;
  res.set(retryAfter(details));
  sendPage(res, 429, problemPage(`Too many requests from your address. ${wait}`));
}

function retryAfter({ retry_after }: AppError['details']): Record<string, string> {
  return retry_after === undefined ? {} : { 'Retry-After': String(retry_after) };
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
  const isForLater = (refused: AppError) =>
    refused.code === 'RATE_LIMITED' || refused.details.retry_after !== undefined;
  if (error instanceof AppError && isForLater(error) && !res.headersSent) {
    refuseApplication(res, error);
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
