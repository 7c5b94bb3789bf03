import { Router } from 'express';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { z } from 'zod';
import { AppError } from '../platform/errors.ts';
import { HTTP_STATUS } from '../platform/http-status.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { parseForm } from '../platform/intake/parse-form.ts';
import type { Logger } from '../platform/log.ts';
import { readBody } from '../platform/intake/read-body.ts';
import { parseInput } from '../platform/validation.ts';
import { Name } from './operator/fields.ts';
import { setOperator } from './operator-of.ts';
import { OIDC_PATH, oidcRoutes } from './oidc/oidc-routes.ts';
import type { OidcSignIn } from './oidc/oidc-routes.ts';
import { confirmSignInPage, signInPage, signOutPage, signedOutPage, refusalPage, refusedFormPage } from './pages.ts';
import type { WaysIn } from './pages.ts';
import { fileRoutes } from './console/files.ts';
import { formToken, isFormToken } from './console/form-token.ts';
import { CONSOLE_POLICY, problemHandlerOfNobody } from './console/problem-page.tsx';
import { queueBoard } from './queue-board.ts';
import { isReadOrOwn } from './read-or-own.ts';
import { renewSession } from './again/renew-session.ts';
import { endSession, operatorOfSession, sessionCookie, sessionFrom } from './session.ts';
import { lookAtLink, redeemSignInToken, signInFirstAdmin } from './sign-in-link.ts';
import type { LinkHolder, SignInDeps } from './sign-in-link.ts';

export interface AdminDeps extends SignInDeps {
  log: Logger;
  /** BullMQ's queue objects, as the platform's queues give them to a console. */
  bullQueues: () => unknown[];
  /** The origin the console is reached at; asked at each request, since a port may be known late. */
  baseUrl: () => string;
  /** The console's own pages, behind the sign-in; absent: there are the job queues alone. */
  pages?: (waysIn: WaysIn) => RequestHandler;
  /** What stands in frames on those pages, under policies of its own; it lets in by itself. Absent: nothing does. */
  framed?: (waysIn: WaysIn) => RequestHandler;
  /** A command that prints a new sign-in link, shown to a person who has none. */
  linkCommand?: string;
  /** Absent: links alone sign people in. */
  oidc?: OidcSignIn | undefined;
  /** Whether one-time links open the console; default: they do. Where not, those that were made before do not either (rule S5.oidc-only). */
  hasLinks?: boolean;
}

/**
 * The console; mount it at `/admin`, before any body parser. Everything in it needs a session that a one-time link
 * or the organization's identity provider starts, whose operator `operatorOf` answers, and changes are taken only from its own pages.
 */
export function adminRouter(deps: AdminDeps): Router {
  const router = Router();
  const isHttps = () => deps.baseUrl().startsWith('https:');
  const cookieOf = (req: Request) => sessionFrom(req.get('cookie'), isHttps());
  const { linkCommand, oidc, hasLinks = true } = deps;
  const waysIn: WaysIn = {
    hasLinks,
    linkCommand,
    oidc: oidc && { href: OIDC_PATH, host: new URL(oidc.client.issuer).host },
  };

  if (deps.framed !== undefined) router.use(deps.framed(waysIn));
  router.use(securityHeaders());
  router.use((_req, res, next) => {
    res.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': CONSOLE_POLICY });
    next();
  });
  router.use(fileRoutes());
  router.use(sameOriginOnly(deps));

  // Only the form uses the link up: what looks at links in mail and chat asks by GET.
  router.get('/sign-in', async (req, res) => {
    const token = tokenOf(req.query);
    const link = token === undefined || !hasLinks ? undefined : await lookAtLink(deps, token);
    if (token !== undefined && link !== undefined) {
      res.type('html').send(confirmSignInPage(link, token));
      return;
    }
    if (token !== undefined) deps.security.record('console.link_refused');
    res.status(401).type('html').send(signInPage(waysIn));
  });
  router.post('/sign-in', async (req, res) => {
    const form = await formOf(req);
    const token = tokenOf(form);
    const isRefused = token !== undefined && !hasLinks;
    if (isRefused) deps.security.record('console.link_refused', { reason: 'links are switched off' });
    const link = token === undefined || isRefused ? undefined : await lookAtLink(deps, token);
    let holder: LinkHolder | undefined;
    if (token !== undefined && link?.asksName === true) {
      try {
        holder = await signInFirstAdmin(deps, token, parseInput(Named, form).name);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        res
          .status(HTTP_STATUS[error.code])
          .type('html')
          .send(confirmSignInPage(link, token, error.message));
        return;
      }
    } else if (token !== undefined && !isRefused) holder = await redeemSignInToken(deps, token);
    if (holder === undefined) {
      res.status(401).type('html').send(signInPage(waysIn));
      return;
    }
    const { session, to } = await renewSession(deps, cookieOf(req), holder, req.ip);
    res.set('Set-Cookie', sessionCookie(session, isHttps()));
    res.redirect(303, to);
  });
  router.use('/sign-in', refusedForm);
  if (oidc !== undefined) router.use('/sign-in/oidc', oidcRoutes({ ...deps, oidc, hasLinks }));

  router.use(async (req, res, next) => {
    const isUse = req.get('console-refresh') === undefined;
    const operator = await operatorOfSession(deps, cookieOf(req), { isUse });
    // Only a link begins a session that is nobody's.
    if (operator === undefined || (operator.person_id === null && !hasLinks)) {
      res.status(401).type('html').send(signInPage(waysIn));
      return;
    }
    setOperator(req, operator);
    next();
  });

  router.get('/sign-out', (req, res) => {
    res.type('html').send(signOutPage(formToken(cookieOf(req) ?? '', '/sign-out')));
  });
  router.post('/sign-out', async (req, res) => {
    const session = cookieOf(req);
    const form = (await formOf(req)) as { _token?: unknown } | undefined;
    if (!isFormToken(form?._token, session ?? '', '/sign-out')) {
      deps.security.record('console.cross_site');
      res.status(403).type('html').send(refusalPage());
      return;
    }
    await endSession(deps, session);
    deps.security.record('console.signed_out');
    res.set('Set-Cookie', sessionCookie(undefined, isHttps()));
    res.type('html').send(signedOutPage(waysIn));
  });

  router.use('/queues', queueBoard({ ...deps, basePath: '/admin/queues' }));
  if (deps.pages !== undefined) router.use(deps.pages(waysIn));
  else {
    router.get('/', (_req, res) => {
      res.redirect(303, '/admin/queues');
    });
  }
  // What the pages' own handler did not answer.
  router.use(problemHandlerOfNobody(deps));
  return router;
}

/** What a form sends; nothing of a body of another type. @throws {AppError} for one that the gate refuses. */
async function formOf(req: Request): Promise<unknown> {
  if (typeof req.is('application/x-www-form-urlencoded') !== 'string') return undefined;
  return parseForm(await readBody(req, INPUT_LIMITS.consoleFormBytes, { isStranger: true }));
}

/** Answers what the gate refuses of a form. */
const refusedForm: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (!(error instanceof AppError) || res.headersSent) {
    next(error);
    return;
  }
  const { retry_after } = error.details;
  if (retry_after !== undefined) res.set('Retry-After', String(retry_after));
  res.status(HTTP_STATUS[error.code]).type('html').send(refusedFormPage(error.message));
};

/** What whoever becomes the first admin says; the link's token stands beside it. */
const Named = z.object({ name: Name });

function tokenOf(fields: unknown): string | undefined {
  const token = (fields as { token?: unknown } | undefined)?.token;
  return typeof token === 'string' ? token : undefined;
}

/** No frames; what its pages may load and run is said by the policy beside it. */
function securityHeaders() {
  return helmet({
    contentSecurityPolicy: false,
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    // As on every other answer.
    strictTransportSecurity: false,
  });
}

/**
 * Lets a change through only when the browser says that a page of this very origin asked for it: `Sec-Fetch-Site`
 * (Fetch Metadata), or `Origin` from browsers and connections without it. Anything else is 403.
 */
function sameOriginOnly({ baseUrl, security }: AdminDeps): RequestHandler {
  return (req, res, next) => {
    if (isReadOrOwn(req, baseUrl())) {
      next();
      return;
    }
    security.record('console.cross_site');
    res.status(403).type('html').send(refusalPage());
  };
}
