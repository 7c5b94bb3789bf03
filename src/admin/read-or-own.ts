import type { Request } from 'express';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether a request changes nothing, or a page of this very origin asked for it: by `Sec-Fetch-Site`, or by `Origin` from browsers without it. */
export function isReadOrOwn(req: Request, baseUrl: string): boolean {
  return READS.has(req.method) || isSameOrigin(req, baseUrl);
}

function isSameOrigin(req: Request, baseUrl: string): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = req.get('origin');
  if (origin === undefined) return false;
  return origin === new URL(baseUrl).origin || origin === `${req.protocol}://${req.get('host') ?? ''}`;
}
