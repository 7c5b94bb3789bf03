import { createHash } from 'node:crypto';
import { Router } from 'express';
import type { Endpoint } from '../endpoint.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';

/** `/openapi.json` and `/docs`; made once for each base URL. */
export function openApiRoutes(endpoints: readonly Endpoint[], baseUrl: () => string): Router {
  const made = new Map<string, { json: string; html: string; etag: string }>();
  const current = () => {
    const url = baseUrl();
    const known = made.get(url);
    if (known) return known;
    const document = openApiDocument(endpoints, url);
    const json = JSON.stringify(document, null, 2);
    const etag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;
    const fresh = { json, html: docsPage(document), etag };
    made.set(url, fresh);
    return fresh;
  };

  const router = Router();
  router.get('/openapi.json', (_req, res) => {
    const { json, etag } = current();
    res.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300', ETag: etag });
    res.type('application/json').send(json);
  });
  router.get('/docs', (_req, res) => {
    res.set({
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=300',
    });
    res.type('html').send(current().html);
  });
  return router;
}
