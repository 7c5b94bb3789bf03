import type { Request, RequestHandler } from 'express';
import { refusalPage } from './pages.ts';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lets a change through only when the browser says that a page of this very origin asked for it: `Sec-Fetch-Site`
 * (Fetch Metadata), or `Origin` from browsers and connections without it. Anything else is 403.
 */
export function sameOriginOnly(baseUrl: () => string): RequestHandler {
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
