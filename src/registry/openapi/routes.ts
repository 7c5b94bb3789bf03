import type { Router } from 'express';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { documentRoutes } from '../../platform/openapi/document-routes.ts';
import type { Endpoint } from '../endpoint.ts';
import { sendError } from '../http/error-response.ts';
import { openApiDocument } from './document.ts';

/** `/openapi.json` and `/docs`. */
export function openApiRoutes(endpoints: readonly Endpoint[], baseUrl: () => string, budgets: Budgets): Router {
  return documentRoutes({
    ...{ jsonPath: '/openapi.json', pagePath: '/docs', baseUrl, budgets },
    links: [['/docs/agent', 'The sales agent']],
    document: (url) => openApiDocument(endpoints, url),
    refuse: sendError,
  });
}
