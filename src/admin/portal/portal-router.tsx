import { randomUUID } from 'node:crypto';
import { Router } from 'express';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { z } from 'zod';
import type { Authenticator } from '../../directory/api-key/authenticator.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import type { SpentBudget } from '../../platform/budget/budget-table.ts';
import { takeAndTell } from '../../platform/budget/take-and-tell.ts';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { HTTP_STATUS } from '../../platform/http-status.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseForm } from '../../platform/intake/parse-form.ts';
import { readBody } from '../../platform/intake/read-body.ts';
import type { Logger } from '../../platform/log.ts';
import { currentRequest } from '../../platform/request-context.ts';
import { limitedCredentials } from '../../platform/security/limited-credentials.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { Store } from '../../platform/store/collection.ts';
import { parseInput } from '../../platform/validation.ts';
import { DeliveryState } from '../../webhooks/delivery/delivery.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import { fileRoutes } from '../console/files.ts';
import { formToken, isFormToken } from '../console/form-token.ts';
import type { Markup } from '../console/html/markup.ts';
import { pageOfId } from '../console/parts/words.tsx';
import { problemBody } from '../console/problem.tsx';
import { errorBodyFor } from '../operator/error-response.ts';
import { isReadOrOwn } from '../read-or-own.ts';
import { withoutKeyInUrl } from './key-in-url.ts';
import { portalDeliveriesPage, portalDeliveryPage, portalReceiversPage } from './portal-pages.tsx';
import { portalSignInPage, portalSignOutPage } from './portal-sign-in-pages.tsx';
import { callerOfPortal, endPortalSession, oncePerClick, portalCookie } from './portal-session.ts';
import { portalSessionFrom, startPortalSession } from './portal-session.ts';
import type { PortalCaller } from './portal-session.ts';
import { PORTAL, portalShell } from './portal-shell.tsx';
import type { PortalPage } from './portal-shell.tsx';

export interface PortalDeps {
  store: Store;
  clock: Clock;
  log: Logger;
  security: SecurityLog;
  budgets: Budgets;
  authenticator: Pick<Authenticator, 'authenticate'>;
  webhooks: Pick<Webhooks, 'buyer'>;
  /** The origin the portal is reached at. */
  baseUrl: () => string;
}

/** No script at all; nothing is loaded from elsewhere. */
const POLICY = [
  ...["default-src 'none'", "style-src 'self'", "img-src 'self'"],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

const Listed = z.object({
  state: DeliveryState.optional(),
  task_id: z.string().min(1).max(512).optional(),
  cursor: z.string().max(2048).optional(),
});

const PAGE = 50;

/**
 * The buyers' portal (rule O1.portal); mount it at `/portal`, before any body parser. Its pages are what `/api/buyer/webhooks` tells, to
 * whoever has exchanged an API key for a session, and count in the same budgets.
 */
export function portalRouter(deps: PortalDeps): Router {
  const { store, clock, security, budgets, webhooks } = deps;
  const router = Router();
  const isSecure = () => deps.baseUrl().startsWith('https:');
  const cookieOf = (request: Request) => portalSessionFrom(request.get('cookie'), isSecure());
  const callers = new WeakMap<Request, PortalCaller>();
  const look = limitedCredentials((key) => deps.authenticator.authenticate(key), { budgets, clock });

  router.use((_request, response, next) => {
    response.set({ 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-store', 'Referrer-Policy': 'same-origin' });
    next();
  });
  router.use(fileRoutes());
  router.use(withoutKeyInUrl);
  router.use((request, _response, next) => {
    if (isReadOrOwn(request, deps.baseUrl())) {
      next();
      return;
    }
    security.record('console.cross_site', { target: 'portal' });
    throw new AppError(
      'FORBIDDEN',
      'this was asked for by another site, or by something that does not say where it is',
    );
  });

  router.get('/sign-in', (_request, response) => {
    sendPage(response, portalSignInPage());
  });
  router.post('/sign-in', async (request, response) => {
    const { api_key } = await formOf(request, { isStranger: true });
    const key = typeof api_key === 'string' ? api_key.trim() : '';
    const say = (headers: Record<string, string>) => response.set(headers);
    const caller = await look(key, { address: request.ip ?? '', say });
    if (caller === undefined) {
      security.record('credential.refused', { target: 'API key' });
      response.status(401);
      sendPage(response, portalSignInPage({ problem: 'This API key is unknown, expired or revoked.' }));
      return;
    }
    if (!caller.scopes.includes('webhooks:read')) {
      response.status(403);
      sendPage(response, portalSignInPage({ problem: 'This API key lacks the scope webhooks:read.' }));
      return;
    }
    // What was signed in with this browser before is over.
    await endPortalSession(deps, cookieOf(request));
    response.set('Set-Cookie', portalCookie(await startPortalSession(deps, caller), isSecure()));
    response.redirect(303, PORTAL);
  });

  router.use(async (request, response, next) => {
    const cookie = cookieOf(request);
    const caller = cookie === undefined ? undefined : await callerOfPortal({ store, clock }, cookie);
    if (caller !== undefined) {
      callers.set(request, caller);
      next();
      return;
    }
    response.status(401);
    sendPage(response, portalSignInPage({ problem: cookie === undefined ? undefined : 'Your session has ended.' }));
  });

  function callerOf(request: Request): PortalCaller {
    const caller = callers.get(request);
    if (caller === undefined) throw new Error('a page of the portal stands before its sign-in');
    return caller;
  }

  const take = (name: SpentBudget, request: Request, response: Response) =>
    takeAndTell(budgets, { name, key: callerOf(request).organization_id }, (headers) => response.set(headers));

  /** What a form needs besides its fields, to be taken once and from this session alone. */
  const fieldsFor = (request: Request, action: string): Markup => (
    <>
      <input type="hidden" name="_token" value={formToken(cookieOf(request) ?? '', `portal${action}`)} />
      <input type="hidden" name="_click" value={randomUUID()} />
    </>
  );

  /** The form's click. @throws {AppError} `FORBIDDEN` for a form that was not made for this session and action. */
  async function clickOf(request: Request, action: string): Promise<string> {
    const { _token, _click } = await formOf(request, { isStranger: false });
    if (isFormToken(_token, cookieOf(request) ?? '', `portal${action}`)) {
      if (typeof _click === 'string' && _click !== '') return _click.slice(0, 64);
    }
    security.record('console.cross_site', { target: 'portal' });
    throw new AppError('FORBIDDEN', 'this form is not of this session any more; load the page anew, and send it again');
  }

  router.get('/', async (request, response) => {
    await take('read_webhooks', request, response);
    const query = parseInput(Listed, request.query);
    const { organization_id, name } = callerOf(request);
    const page = await webhooks.buyer.list(organization_id, query, { limit: PAGE, after: query.cursor });
    sendPage(response, portalDeliveriesPage(page.rows, { query, cursor: page.cursor, now: clock.now() }), name);
  });

  router.get('/deliveries/:delivery_id', async (request, response) => {
    await take('read_webhooks', request, response);
    const { organization_id, name, key } = callerOf(request);
    const delivery = await webhooks.buyer.show(organization_id, request.params.delivery_id);
    const resend = key.scopes.includes('webhooks:write')
      ? fieldsFor(request, `${pageOfId('/deliveries', delivery.delivery_id)}/resend`)
      : undefined;
    const isDone = request.query['done'] === 'resend';
    sendPage(response, portalDeliveryPage(delivery, { now: clock.now(), resend, isDone }), name);
  });

  router.post('/deliveries/:delivery_id/resend', async (request, response) => {
    const { organization_id, key } = callerOf(request);
    const { delivery_id } = request.params;
    const click = await clickOf(request, `${pageOfId('/deliveries', delivery_id)}/resend`);
    if (!key.scopes.includes('webhooks:write'))
      throw new AppError('FORBIDDEN', 'the API key that you signed in with lacks the scope webhooks:write');
    let shown = delivery_id;
    await oncePerClick(deps, { cookie: cookieOf(request) ?? '', click }, async () => {
      await take('resend_webhook', request, response);
      shown = (await webhooks.buyer.resend(organization_id, delivery_id)).delivery_id;
    });
    response.redirect(303, `${PORTAL}${pageOfId('/deliveries', shown)}?done=resend`);
  });

  router.get('/receivers', async (request, response) => {
    await take('read_destinations', request, response);
    const { organization_id, name } = callerOf(request);
    sendPage(response, portalReceiversPage(await webhooks.buyer.destinations(organization_id), clock.now()), name);
  });

  router.get('/sign-out', (request, response) => {
    sendPage(response, portalSignOutPage(fieldsFor(request, '/sign-out')), callerOf(request).name);
  });
  router.post('/sign-out', async (request, response) => {
    await clickOf(request, '/sign-out');
    await endPortalSession(deps, cookieOf(request));
    response.set('Set-Cookie', portalCookie(undefined, isSecure()));
    response.redirect(303, `${PORTAL}/sign-in`);
  });

  router.use((request) => {
    callerOf(request);
    throw new AppError('NOT_FOUND', 'the portal has no such page');
  });
  router.use(refused(deps));
  return router;
}

async function formOf(request: Request, { isStranger }: { isStranger: boolean }): Promise<Record<string, unknown>> {
  if (typeof request.is('application/x-www-form-urlencoded') !== 'string')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send a form');
  return parseForm(await readBody(request, INPUT_LIMITS.consoleFormBytes, { isStranger }));
}

function sendPage(response: Response, page: PortalPage, name?: string): void {
  response.type('html').send(portalShell({ ...page, name }));
}

/** What is wrong, in the portal's frame: with the code, what to do, and the id by which the log knows of it. */
function refused({ log }: PortalDeps): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const problem = errorBodyFor(error);
    if (problem.code === 'INTERNAL_ERROR' || problem.code === 'SERVICE_UNAVAILABLE')
      log.error({ err: error, path: request.path }, 'portal request failed');
    if (problem.retry_after !== undefined) response.set('Retry-After', String(problem.retry_after));
    response.status(HTTP_STATUS[problem.code]);
    const request_id = currentRequest()?.request_id;
    const body = problemBody(problem, { request_id, back: request.get('referer'), home: PORTAL });
    sendPage(response, { title: 'That did not work', body });
  };
}
