import type { Request, RequestHandler } from 'express';
import type { Counters } from '../../platform/metrics/metrics.ts';

/** Counts what an application answers, by the pattern of its route and never by its path: ids and names stay out. */
export function countRequests(counters: Counters): RequestHandler {
  return (request, response, next) => {
    const beganMs = performance.now();
    const edge = edgeOf(request.path);
    response.on('finish', () => {
      const route = answeredRoute(request);
      counters.add('http_requests_total', { edge, route, status: String(response.statusCode) });
      counters.observe('http_request_duration_seconds', { edge, route }, (performance.now() - beganMs) / 1000);
      if (response.statusCode === 429) counters.add('rate_limited_total', { edge });
    });
    next();
  };
}

/** The first that a path begins with. */
const EDGES = [
  ['/a2a', 'a2a'],
  ['/mcp', 'mcp'],
  ['/api/operator', 'operator'],
  ['/api/buyer', 'buyer'],
  ['/api', 'registry'],
  ['/admin', 'admin'],
  ['/portal', 'portal'],
  ['/oauth', 'oauth'],
  ['/ad-server', 'ad_server'],
  ['/.well-known', 'well_known'],
] as const;

/** The wire that a path belongs to, one of a few. */
export function edgeOf(path: string): string {
  return EDGES.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))?.[1] ?? 'other';
}

/** The method and the pattern of the route that answered; `none` where none did. */
export function answeredRoute({ route, method }: Request): string {
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? `${method} ${path}` : 'none';
}
