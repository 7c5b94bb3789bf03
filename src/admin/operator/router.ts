import { Router } from 'express';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { AppError } from '../../platform/errors.ts';
import { inServerSpan } from '../../platform/telemetry/spans.ts';
import { operatorOf } from '../operator-of.ts';
import { authenticate } from './authenticate.ts';
import type { AuthenticateDeps } from './authenticate.ts';
import { errorBodyFor, sendErrorBody } from './error-response.ts';
import type { Operation, OperatorDeps } from './operation.ts';
import { NDJSON, rowsNameOf, sendNdjson } from './ndjson.ts';
import { operations } from './operations.ts';
import { perform } from './perform.ts';
import { bodyOf, idempotencyKey, readJson, saidName } from './request.ts';

/**
 * What people at the seller see and do, as JSON; mount it at `/api/operator`, before any body parser. Everything in it
 * needs an operator's key, and the role that its operation states (rule S5).
 */
export function operatorRouter(deps: OperatorDeps & AuthenticateDeps): Router {
  const router = Router();
  router.use((_request, response, next) => {
    response.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
    next();
  });
  router.use(authenticate(deps), readJson);
  for (const operation of operations) router[operation.method](operation.path, serve(operation, deps));
  router.use((request) => {
    throw new AppError('NOT_FOUND', `there is no ${request.method} ${request.path} in the operator API`);
  });
  router.use(answerError(deps));
  return router;
}

/** Role, input, handler and answer are `perform`'s. Who asks is in no span. */
function serve(operation: Operation, deps: OperatorDeps & AuthenticateDeps): RequestHandler {
  const { path, action } = operation;
  const method = operation.method.toUpperCase();
  const facts = { 'http.request.method': method, 'http.route': path, ...(action !== undefined && { action }) };
  const rows = rowsNameOf(operation);
  return async (request, response) => {
    const said_name = saidName(request);
    const asked = {
      ...{ operator: operatorOf(request), path: request.path, params: request.params, query: request.query },
      body: operation.method === 'post' ? bodyOf(request) : undefined,
    };
    const click = { idempotency_key: idempotencyKey(request), said_name, address: request.ip };
    if (rows !== undefined && request.accepts(['json', NDJSON]) === NDJSON) {
      const { limit: _limit, cursor, ...filters } = request.query;
      const read = (page: object) => perform(deps, operation, { ...asked, query: { ...filters, ...page }, click });
      await sendNdjson(deps, { request, response }, { rows, read, from: cursor as string | undefined });
      return;
    }
    const answer = () => perform(deps, operation, { ...asked, click });
    response.json(await inServerSpan(`operator ${method} ${path}`, () => facts, answer));
  };
}

function answerError({ log }: OperatorDeps): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const body = errorBodyFor(error);
    if (body.code === 'INTERNAL_ERROR' || body.code === 'SERVICE_UNAVAILABLE') {
      log.error({ err: error, path: request.path }, 'operator request failed');
    }
    sendErrorBody(response, body);
  };
}
