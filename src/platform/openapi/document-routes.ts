import { Router } from 'express';
import type { RequestHandler, Response } from 'express';
import type { Budgets } from '../budget/budgets.ts';
import { takeAndTell } from '../budget/take-and-tell.ts';
import { addressKey } from '../client-address.ts';
import { AppError } from '../errors.ts';
import { strongEtag } from '../etag.ts';
import { docsPage } from './docs-page.ts';
import type { DocsLink } from './docs-page.ts';

export interface DescribedApi {
  /** Where the OpenAPI document is served. */
  jsonPath: string;
  /** Where it can be read. */
  pagePath: string;
  /** Beside it on the page. */
  links: readonly DocsLink[];
  /** The document, for the address that the agent has now. */
  document: (baseUrl: string) => Record<string, unknown>;
  baseUrl: () => string;
  budgets: Budgets;
  /** Tells whoever has used up the budget. */
  refuse: (response: Response, error: AppError) => void;
}

/** An OpenAPI document and a page to read it by, for everybody; made once for each base URL. */
export function documentRoutes(api: DescribedApi): Router {
  const { jsonPath, pagePath, links, budgets, refuse } = api;
  const made = new Map<string, { json: string; html: string; etag: string }>();
  const current = () => {
    const url = api.baseUrl();
    const known = made.get(url);
    if (known) return known;
    const document = api.document(url);
    const json = JSON.stringify(document, null, 2);
    const page = docsPage(document, [[jsonPath, 'openapi.json'], ...links]);
    const fresh = { json, html: page, etag: strongEtag(json) };
    made.set(url, fresh);
    return fresh;
  };

  const limited: RequestHandler = (req, res, next) => {
    takeAndTell(budgets, { name: 'openapi', key: addressKey(req.ip ?? '') }, (headers) => res.set(headers)).then(
      () => {
        next();
      },
      (error: unknown) => {
        if (error instanceof AppError) refuse(res, error);
        else next(error);
      },
    );
  };

  const router = Router();
  router.get(jsonPath, limited, (_req, res) => {
    const { json, etag } = current();
    res.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300', ETag: etag });
    res.type('application/json').send(json);
  });
  router.get(pagePath, limited, (_req, res) => {
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
