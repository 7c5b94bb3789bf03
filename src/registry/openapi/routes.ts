import { Router } from 'express';
import type { Response } from 'express';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { describedBy } from '../../platform/openapi/described-by.ts';
import type { Endpoint } from '../endpoint.ts';
import { sendError } from '../http/error-response.ts';
import { openApiDocument } from './document.ts';

/** `/openapi.json` and `/docs`. */
export function openApiRoutes(endpoints: readonly Endpoint[], baseUrl: () => string, budgets: Budgets): Router {
  const jsonPath = '/openapi.json';
  const { json, page } = describedBy<Response>({
    ...{ jsonPath, baseUrl, budgets, refuse: sendError },
    links: [['/docs/agent', 'The sales agent']],
    document: (url) => openApiDocument(endpoints, url),
  });
  const router = Router();
  router.get(jsonPath, json);
  router.get('/docs', page);
  return router;
}
