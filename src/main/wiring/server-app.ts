import express from 'express';
import type { ErrorRequestHandler, Express, Router } from 'express';
import { livenessOf } from '../health/loop-watch.ts';
import { readinessOf } from '../health/readiness-of.ts';
import { currentRequest } from '../../platform/request-context.ts';
import { consoleRoutes } from '../../admin/console/console-routes.tsx';
import { operatorDocumentRoutes } from '../../admin/operator/openapi.ts';
import { portalRouter } from '../../admin/portal/portal-router.tsx';
import { previewRoutes } from '../../admin/preview/preview-routes.ts';
import { adminRouter } from '../../admin/router.ts';
import { createRingRouter } from '../../adservers/http/ring-router.ts';
import { countedIn } from '../../platform/intake/read-body.ts';
import { allowedPlaces } from '../../platform/outbound/allowed-places.ts';
import type { UrlRules } from '../../platform/outbound/url-guard.ts';
import { BRAND_PATH, DOCUMENT_MAX_AGE_SECONDS, JWKS_PATH, REVOCATIONS_PATH } from '../../webhooks/keys/documents.ts';
import type { Core } from './compose.ts';
import { countRequests } from './count-requests.ts';
import { frontPage } from './front-page.ts';
import type { OAuth } from './oauth.ts';
import { operatorOidc } from './operator-oidc.ts';
import { operatorDeps, operatorRoutes } from './operator-routes.ts';
import { registryRoutes } from './registry-routes.ts';
import { requestLog } from './request-log.ts';
import { safeHeaders } from './safe-headers.ts';
import { securityTxt } from './security-txt.ts';

/** What a server that stops tells those it answers. */
interface Leaving {
  /** Aborts when nothing new should come here any more. */
  draining?: AbortSignal;
  /** Aborts when what has no end of its own is to end. */
  stopping?: AbortSignal;
}

/** Everything this agent answers over HTTP: what is asked for most first, and who reads bodies by itself before any parser of bodies. */
export async function createServerApp(
  core: Core,
  oauth: OAuth,
  buyersEdges: Router,
  leaving: Leaving = {},
): Promise<Express> {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', 'strong');
  app.set('trust proxy', core.config.trustProxy);
  app.use(requestLog({ log: core.log, clock: core.clock, level: core.config.requestLogLevel }));
  app.use(countRequests(core.metrics));
  app.use(safeHeaders(core));
  app.use((request, _response, next) => {
    countedIn(core.unfinished, request);
    next();
  });
  const operator = operatorDeps(core);
  const registry = await registryRoutes(core, oauth, leaving);
  app.use(registry.atPlainPaths);
  app.use(withoutEtags(buyersEdges));
  const ofConsole = { budgets: core.budgets, metrics: core.metrics, sealer: core.sealer };
  app.use(
    '/admin',
    adminRouter({
      ...core,
      baseUrl: () => core.baseUrl,
      pages: (waysIn) => consoleRoutes({ ...operator, ...leaving, ...ofConsole, waysIn }),
      framed: (waysIn) => previewRoutes({ ...operator, sealer: core.sealer, urlRules: urlRulesOf(core) }, waysIn),
      bullQueues: () => core.queues.bullQueues(),
      linkCommand: 'npm run agent -- sign-in',
      oidc: operatorOidc(core),
      hasLinks: core.config.hasSignInLinks,
    }),
  );
  app.use('/portal', portalRouter({ ...core, baseUrl: () => core.baseUrl, accounts: oauth.portalAccounts }));
  app.use(operatorDocumentRoutes(core));
  app.use('/api/operator', operatorRoutes(core, operator));
  if (core.ringers.length > 0) app.use(rings(core));
  app.use(oauth.router);
  app.use(registry.router);
  app.use(keyDocuments(core));
  app.use(securityTxt(core));
  app.use(leavingFirst(leaving));
  app.use(health(core));
  app.use(frontPage(core));
  app.use((_request, response) => {
    response.status(404).json({
      error:
        'there is nothing here; see /.well-known/agent-card.json, /docs/agent for how to call it, and /docs for the registry',
    });
  });
  app.use(lastResort(core));
  return app;
}

/** Where an installation lets URLs of strangers lead. */
function urlRulesOf({ config }: Core): UrlRules {
  return { allowLoopback: config.allowLoopback, places: allowedPlaces(config.outboundAllow) };
}

/** What is served there is asked for with a credential and never again by an ETag, but for the documents that bring their own. */
function withoutEtags(router: Router): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(router);
  return app;
}

/** Where an ad server elsewhere says that something has happened to an order. */
function rings({ ringers, sales, budgets, log, security }: Core): Router {
  return createRingRouter({ adServers: ringers, ring: (ring) => sales.orders.ring(ring), budgets, log, security });
}

/** How receivers find the keys that webhooks are signed with (rule C.webhook.signatures.6). */
function keyDocuments({ webhooks }: Core) {
  const router = express.Router();
  const maxAge = `public, max-age=${DOCUMENT_MAX_AGE_SECONDS}`;
  router.get(JWKS_PATH, async (_request, response) => {
    response.set('Cache-Control', maxAge).json(await webhooks.jwks());
  });
  router.get(REVOCATIONS_PATH, async (_request, response) => {
    response.set('Cache-Control', maxAge).json(await webhooks.revocations());
  });
  router.get(BRAND_PATH, (_request, response) => {
    response.set('Cache-Control', maxAge).json(webhooks.brand());
  });
  return router;
}

/** `/healthz`: this process answers, and its event loop turns. `/readyz`: it can do its work. */
function health(core: Core) {
  const router = express.Router();
  router.get('/healthz', (_request, response) => {
    const { code, told } = livenessOf(core.loop);
    response.status(code).json(told);
  });
  router.get('/readyz', async (_request, response) => {
    const { isReady, states } = await readinessOf(core);
    response.status(isReady ? 200 : 503).json(states);
  });
  return router;
}

/** `/readyz` of a server that was told to stop: 503 `draining`, whatever else there is to say. */
function leavingFirst({ draining }: Leaving) {
  const router = express.Router();
  router.get('/readyz', (_request, response, next) => {
    if (draining?.aborted === true) response.status(503).json({ status: 'draining' });
    else next();
  });
  return router;
}

function lastResort({ log }: Core): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (error instanceof URIError && !response.headersSent) {
      response.status(400).json({ error: 'the path is not well-formed: check its percent-escapes' });
      return;
    }
    log.error({ err: error, path: request.path }, 'request failed');
    if (response.headersSent) next(error);
    else {
      const error = 'the agent failed to handle this request; try again';
      response.status(500).json({ error, request_id: currentRequest()?.request_id });
    }
  };
}
