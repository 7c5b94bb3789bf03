import { Router } from 'express';
import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { signInPage, signOutPage, signedOutPage, refusalPage } from './pages.ts';
import { queueBoard } from './queue-board.ts';
import { endSession, isSignedIn, sessionCookie, sessionFrom, startSession } from './session.ts';
import { redeemSignInToken } from './sign-in-link.ts';
import type { SignInDeps } from './sign-in-link.ts';

export interface AdminDeps extends SignInDeps {
  /** BullMQ's queue objects, as the platform's queues give them to a console. */
  bullQueues: () => unknown[];
  /** The origin the console is reached at; asked at each request, since a port may be known late. */
  baseUrl: () => string;
  /** A command that prints a new sign-in link, shown to a person who has none. */
  linkCommand?: string;
}

/**
 * The console; mount it at `/admin`, before any body parser. Everything in it needs a session that a one-time link
 * starts, and changes are taken only from its own pages.
 */
export function adminRouter(deps: AdminDeps): Router {
  const router = Router();
  const isHttps = () => deps.baseUrl().startsWith('https:');

  router.use(securityHeaders());
  router.use((_req, res, next) => {
    res.set('Cache-Control', 'no-store');
    next();
  });
  router.use(sameOriginOnly(deps.baseUrl));

  router.get('/sign-in', async (req, res) => {
    const { token } = req.query;
    // A HEAD request comes from a link preview, which must not use the link up.
    if (req.method !== 'GET' || typeof token !== 'string' || !(await redeemSignInToken(deps, token))) {
      res.status(401).type('html').send(signInPage(deps.linkCommand));
      return;
    }
    res.set('Set-Cookie', sessionCookie(await startSession(deps), isHttps()));
    res.redirect(303, '/admin/queues');
  });

  router.use(async (req, res, next) => {
    if (await isSignedIn(deps, sessionFrom(req.get('cookie')))) next();
    else res.status(401).type('html').send(signInPage(deps.linkCommand));
  });

  router.get('/sign-out', (_req, res) => {
    res.type('html').send(signOutPage());
  });
  router.post('/sign-out', async (req, res) => {
    await endSession(deps, sessionFrom(req.get('cookie')));
    res.set('Set-Cookie', sessionCookie(undefined, isHttps()));
    res.type('html').send(signedOutPage());
  });

  router.get('/', (_req, res) => {
    res.redirect(303, '/admin/queues');
  });
  router.use('/queues', queueBoard('/admin/queues', deps.bullQueues));
  return router;
}

/** Nothing from elsewhere, no frames; inline styles only, which the queue pages need. */
function securityHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'same-origin' },
    // As on every other answer.
    strictTransportSecurity: false,
  });
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lets a change through only when the browser says that a page of this very origin asked for it: `Sec-Fetch-Site`
 * (Fetch Metadata), or `Origin` from browsers and connections without it. Anything else is 403.
 */
function sameOriginOnly(baseUrl: () => string): RequestHandler {
  return (req, res, next) => {
    if (READS.has(req.method) || isSameOrigin(req, baseUrl())) next();
    else res.status(403).type('html').send(refusalPage());
  };
}

function isSameOrigin(req: Request, baseUrl: string): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = req.get('origin');
  if (origin === undefined) return false;
  return origin === new URL(baseUrl).origin || origin === `${req.protocol}://${req.get('host') ?? ''}`;
}
