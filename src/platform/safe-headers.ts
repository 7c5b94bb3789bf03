import type { RequestHandler } from 'express';

/** On every answer: a body is what it says it is, and where a link leads learns of no address here. */
export const SAFE_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' } as const;

/** A year, for this host alone: what else is below its domain is not ours to decide. */
const TRANSPORT = `max-age=${365 * 86_400}`;

/**
 * Sets these headers on whatever is answered after it, until a route says otherwise. What was asked with a credential, or changes
 * something, is stored nowhere; the rest is asked for again each time, by its ETag where it has one. HTTPS is asked for where the
 * agent is reached by it (RFC 6797).
 */
export function safeHeaders({ baseUrl }: { baseUrl: string }): RequestHandler {
  const isSecure = baseUrl.startsWith('https:');
  return (request, response, next) => {
    const { authorization, cookie, 'x-api-key': key } = request.headers;
    const isPrivate = (authorization ?? cookie ?? key) !== undefined || !['GET', 'HEAD'].includes(request.method);
    response.set({ ...SAFE_HEADERS, 'Cache-Control': isPrivate ? 'no-store' : 'no-cache' });
    if (isSecure || request.secure) response.set('Strict-Transport-Security', TRANSPORT);
    next();
  };
}
