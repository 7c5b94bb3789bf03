import { Router } from 'express';
import type { RequestHandler } from 'express';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { takeAndTell } from '../../platform/budget/take-and-tell.ts';
import { addressKey } from '../../platform/client-address.ts';
import { AppError } from '../../platform/errors.ts';
import { strongEtag } from '../../platform/etag.ts';
import type { Endpoint } from '../endpoint.ts';
import { sendError } from '../http/error-response.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './document.ts';

/** `/openapi.json` and `/docs`; made once for each base URL. */
export function openApiRoutes(endpoints: readonly Endpoint[], baseUrl: () => string, budgets: Budgets): Router {
  const made = new Map<string, { json: string; html: string; etag: string }>();
  const current = () => {
    const url = baseUrl();
    const known = made.get(url);
    if (known) return known;
    const document = openApiDocument(endpoints, url);
    const json = JSON.stringify(document, null, 2);
    const fresh = { json, html: docsPage(document), etag: strongEtag(json) };
    made.set(url, fresh);
    return fresh;
  };

  const limited: RequestHandler = (req, res, next) => {
    takeAndTell(budgets, { name: 'openapi', key: addressKey(req.ip ?? '') }, (headers) => res.set(headers)).then(
      () => {
        next();
      },
      (error: unknown) => {
        if (error instanceof AppError) sendError(res, error);
        else next(error);
      },
    );
  };

  const router = Router();
  router.get('/openapi.json', limited, (_req, res) => {
    const { json, etag } = current();
    res.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300', ETag: etag });
    res.type('application/json').send(json);
  });
  router.get('/docs', limited, (_req, res) => {
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
