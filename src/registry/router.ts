import { Router } from 'express';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Authenticator } from '../directory/api-key/authenticator.ts';
import type { VerifyAccessToken } from '../directory/oauth/access-token.ts';
import { createAuthenticate } from './auth/authenticate.ts';
import { keptPages } from './feed/kept-pages.ts';
import { keptAnswers } from '../platform/store/kept-answers.ts';
import type { RegistryContext } from './context.ts';
import type { Endpoint } from './endpoint.ts';
import { AppError } from '../platform/errors.ts';
import { sendError } from './http/error-response.ts';
import { mount, routeOf } from './http/mount.ts';
import type { MountDeps } from './http/mount.ts';
import { createStoreWatch } from './http/store-watch.ts';
import { endpoints } from './index.ts';
import { openApiRoutes } from './openapi/routes.ts';

export interface RegistryDeps extends Omit<RegistryContext, 'kept' | 'keptPages'> {
  /** Checks API keys. */
  apiKeys: Authenticator;
  /** Checks users' access tokens. */
  verifyAccessToken: VerifyAccessToken;
}

export interface RegistryRoutes {
  /** Answers what is asked for by a path without parameters, as it is declared; passes on all else at the cost of one look into a table. */
  atPlainPaths: RequestHandler;
  /** Answers all of the registry. */
  router: Router;
}

/**
 * The registry's wire; mount it at the origin's root, before any body parser. A router tries its routes one after the other, and there are
 * some hundred: so what is asked for most may be mounted before all others.
 */
export function registryRouter({ apiKeys: keys, verifyAccessToken, ...given }: RegistryDeps): RegistryRoutes {
  const { store } = given;
  const context: RegistryContext = { ...given, kept: keptAnswers(store), keptPages: keptPages(store) };
  const authenticate = createAuthenticate(keys, verifyAccessToken, context);
  const storeWatch = createStoreWatch(context.store, context.log, context.storePatience);
  const deps = { context, authenticate, storeWatch };
  const router = routerOf(endpoints, deps);
  router.use(asksWhetherItStands, openApiRoutes(endpoints, context.baseUrl, context.budgets));
  router.use(badPath);
  return { atPlainPaths: atPlainPaths(deps), router };
}

function routerOf(some: readonly Endpoint[], deps: MountDeps): Router {
  const router = Router();
  for (const endpoint of some) {
    router.all(routeOf(endpoint), openToAllOrigins, asksWhetherItStands);
    mount(router, endpoint, deps);
  }
  for (const [path, methods] of methodsByPath(some)) router.all(path, wrongMethod(methods));
  return router;
}

/** Each with a router of all that the whole one would find there, in the same order. */
function atPlainPaths(deps: MountDeps): RequestHandler {
  const plain = new Set(endpoints.map(({ path }) => path).filter((path) => !path.includes('{')));
  const routers = new Map(
    [...plain].map((path) => [
      path,
      routerOf(
        endpoints.filter((endpoint) => isFoundAt(endpoint, path)),
        deps,
      ),
    ]),
  );
  return (req, res, next) => {
    const router = routers.get(req.path);
    if (router === undefined) next();
    else router(req, res, next);
  };
}

function isFoundAt(endpoint: Endpoint, path: string): boolean {
  const [declared, asked] = [endpoint.path.split('/'), path.split('/')];
  return (
    declared.length === asked.length && declared.every((part, place) => part.includes('{') || part === asked[place])
  );
}

/** Which methods there are at each path, as routes spell it. */
function methodsByPath(some: readonly Endpoint[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const endpoint of some) {
    const path = routeOf(endpoint);
    methods.set(path, [...(methods.get(path) ?? []), endpoint.method.toUpperCase()]);
  }
  return methods;
}

function wrongMethod(methods: readonly string[]): RequestHandler {
  const allowed = methods.join(', ');
  return (req, res) => {
    res
      .status(405)
      .set('Allow', allowed)
      .json({ error: `${req.method} is not answered here; send ${allowed}` });
  };
}

const BAD_PATH = new AppError('INVALID_REQUEST', 'the path is not well-formed: check its percent-escapes');

/** A path whose percent-escapes cannot be decoded. */
const badPath: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (error instanceof URIError) sendError(res, BAD_PATH);
  else next(error);
};

/** CORS: any site may call, since credentials travel in a header that a site must hold itself, never in a cookie. */
const openToAllOrigins: RequestHandler = (req, res, next) => {
  res.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers':
      'RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, WWW-Authenticate, ETag, X-Request-Id',
  });
  if (req.method !== 'OPTIONS') {
    next();
    return;
  }
  res.set({
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match, If-None-Match, Last-Event-ID',
    'Access-Control-Max-Age': '86400',
  });
  res.status(204).end();
};

/**
 * Whoever names the ETag of what it holds is answered by whether that still stands. `fetch`, in browsers and in Node, sends `no-cache`
 * along by itself, for which Express would answer with the whole of it each time (RFC 9111 section 5.2.1.4 asks for validation alone).
 */
const asksWhetherItStands: RequestHandler = (req, _res, next) => {
  if (req.headers['if-none-match'] !== undefined) delete req.headers['cache-control'];
  next();
};
