import type { RequestHandler } from 'express';
import { SAFE_HEADERS } from '../../platform/safe-headers.ts';

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
    const { authorization, cookie, 'x-api-key': key, 'x-adcp-auth': publicKey } = request.headers;
    const isPrivate =
      (authorization ?? cookie ?? key ?? publicKey) !== undefined || !['GET', 'HEAD'].includes(request.method);
    response.set({ ...SAFE_HEADERS, 'Cache-Control': isPrivate ? 'no-store' : 'no-cache' });
    if (isSecure || request.secure) response.set('Strict-Transport-Security', TRANSPORT);
    next();
  };
}
