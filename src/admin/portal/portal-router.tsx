import { Router } from 'express';
import type { ErrorRequestHandler } from 'express';
import { guestOfLink, redeemPortalLink } from '../../directory/portal-link/portal-link.ts';
import { AppError } from '../../platform/errors.ts';
import { limitedCredentials } from '../../platform/security/limited-credentials.ts';
import { fileRoutes } from '../console/files.ts';
import { problemHandler } from '../console/problem-page.tsx';
import { callerOfPortal, endPortalSession, portalCookie, startPortalSession } from '../portal-session.ts';
import { isReadOrOwn } from '../read-or-own.ts';
import { accountRoutes } from './account-routes.tsx';
import { deliveryRoutes } from './delivery-routes.tsx';
import { withoutKeyInUrl } from './key-in-url.ts';
import { lookRoutes } from './look-routes.tsx';
import { organizationRoutes } from './organization-routes.tsx';
import { createPortalDesk, formOf, sendPortalPage } from './portal-desk.tsx';
import type { PortalDeps } from './portal-desk.tsx';
import { PORTAL } from './portal-shell.tsx';
import { portalLinkPage, portalSignInPage, portalSignOutPage } from './portal-sign-in-pages.tsx';
import { rangeRoutes } from './range-routes.tsx';
import { registrationRoutes } from './registration-routes.tsx';

/** No script at all; nothing is loaded from elsewhere. */
const POLICY = [
  ...["default-src 'none'", "style-src 'self'", "img-src 'self'"],
  ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

const OLD_LINK = 'This link is unknown, has been used, or is older than 15 minutes. Ask for another one.';

/**
 * The buyers' portal (rule O1.portal); mount it at `/portal`, before any body parser. Its pages are what `/api/buyer/webhooks` tells, to
 * whoever has exchanged an API key, a one-time link or a sign-in with their account for a session, and count in the same budgets.
 */
export function portalRouter(deps: PortalDeps): Router {
  const { clock, security, budgets, accounts } = deps;
  const hasAccounts = accounts !== undefined;
  const router = Router();
  const desk = createPortalDesk(deps);
  const look = limitedCredentials((key) => deps.authenticator.authenticate(key), { budgets, clock });
  const lookAtLink = limitedCredentials((token) => guestOfLink(deps, token), { budgets, clock });

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

  router.get('/sign-in', async (request, response) => {
    const { link } = request.query;
    if (typeof link !== 'string') {
      sendPortalPage(response, portalSignInPage({ hasAccounts }));
      return;
    }
    const guest = await guestOfLink(deps, link);
    if (guest === undefined) response.status(401);
    sendPortalPage(
      response,
      guest === undefined
        ? portalSignInPage({ problem: OLD_LINK, hasAccounts })
        : portalLinkPage({ link, name: guest.name }),
    );
  });
  router.post('/sign-in', async (request, response) => {
    const form = await formOf(request, { isStranger: true });
    const say = (headers: Record<string, string>) => response.set(headers);
    const from = { address: request.ip ?? '', say };
    const refuse = (status: number, problem: string) => {
      response.status(status);
      sendPortalPage(response, portalSignInPage({ problem, hasAccounts }));
    };
    const textOf = (name: string) => {
      const text = form[name];
      return typeof text === 'string' ? text.trim() : '';
    };
    let opened;
    if (form['link'] !== undefined) {
      const token = textOf('link');
      opened = (await lookAtLink(token, from)) && (await redeemPortalLink(deps, token));
      if (opened === undefined) {
        security.record('credential.refused', { target: 'portal link' });
        refuse(401, OLD_LINK);
        return;
      }
    } else {
      const caller = await look(textOf('api_key'), from);
      if (caller === undefined) {
        security.record('credential.refused', { target: 'API key' });
        refuse(401, 'This API key is unknown, expired or revoked.');
        return;
      }
      if (!caller.scopes.includes('webhooks:read')) {
        refuse(403, 'This API key lacks the scope webhooks:read.');
        return;
      }
      opened = { organization_id: caller.organization_id, api_key_id: caller.principal_id };
    }
    // What was signed in with this browser before is over.
    await endPortalSession(deps, desk.cookieOf(request));
    response.set('Set-Cookie', portalCookie(await startPortalSession(deps, opened), desk.isSecure()));
    response.redirect(303, PORTAL);
  });

  if (accounts !== undefined) router.use(accountRoutes({ ...deps, accounts }, desk));

  router.use(async (request, response, next) => {
    const cookie = desk.cookieOf(request);
    const caller = cookie === undefined ? undefined : await callerOfPortal(deps, cookie);
    if (caller !== undefined) {
      desk.admit(request, caller);
      next();
      return;
    }
    response.status(401);
    sendPortalPage(
      response,
      portalSignInPage({ problem: cookie === undefined ? undefined : 'Your session has ended.', hasAccounts }),
    );
  });

  router.use(deliveryRoutes(desk), rangeRoutes(desk), registrationRoutes(desk), lookRoutes(desk));
  router.use(organizationRoutes(deps, desk));

  router.get('/sign-out', (request, response) => {
    desk.send(request, response, portalSignOutPage(desk.fieldsFor(request, '/sign-out')));
  });
  router.post('/sign-out', async (request, response) => {
    await desk.formFor(request, '/sign-out');
    await endPortalSession(deps, desk.cookieOf(request));
    response.set('Set-Cookie', portalCookie(undefined, desk.isSecure()));
    response.redirect(303, `${PORTAL}/sign-in`);
  });

  router.use((request) => {
    desk.callerOf(request);
    throw new AppError('NOT_FOUND', 'the portal has no such page');
  });
  router.use(refused(deps));
  return router;
}

/** What is wrong, in the portal's frame: with the code, what to do, and the id by which the log knows of it. */
function refused({ log }: PortalDeps): ErrorRequestHandler {
  return problemHandler({ log, home: PORTAL }, (_request, response, page) => {
    sendPortalPage(response, page);
  });
}
