import { Router } from 'express';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { z } from 'zod';
import { requireRole } from '../../directory/operator/operator.ts';
import type { Operator } from '../../directory/operator/operator.ts';
import { AppError } from '../../platform/errors.ts';
import { recordRefusal } from '../../platform/security/record-refusal.ts';
import { parseInput } from '../../platform/validation.ts';
import { operatorOf } from '../operator-of.ts';
import { recorded } from './actions/record.ts';
import { authenticate } from './authenticate.ts';
import type { AuthenticateDeps } from './authenticate.ts';
import { errorBodyFor, sendErrorBody } from './error-response.ts';
import type { Json, Operation, OperatorDeps } from './operation.ts';
import { operations } from './operations.ts';
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

const Nothing = z.strictObject({});

/**
 * Role, input, handler, answer; what changes something is put on record first. Of stored rows only what the answer names leaves:
 * what a newer release wrote beside it may be secret.
 */
function serve(operation: Operation, deps: OperatorDeps): RequestHandler {
  return async (request, response) => {
    const operator = operatorOf(request);
    requireRoleOnRecord(deps, operator, operation);
    const said_name = saidName(request);
    const by = operator.name;
    const input = {
      params: operation.params && parseInput(operation.params, request.params),
      query: parseInput(operation.query ?? Nothing, request.query),
      body: operation.method === 'post' ? parseInput(operation.body ?? Nothing, bodyOf(request)) : undefined,
    };
    const act = async (action_id: string) =>
      operation.answer.parse(await operation.handle(input, { ...deps, operator, by, action_id }));
    const { action, decides, hasSecret = false } = operation;
    if (action === undefined) {
      response.json(await act(deps.ids.newId()));
      return;
    }
    const target = targetOf(request.path);
    const noted = operation.onRecord?.(input.body) ?? { ...(input.body as object) };
    const facts = (answer: Json) => operation.concerns?.(answer, input) ?? { target: target.split('/').at(-1) };
    const decision = decides && { kind: decides, facts };
    const asked = { action, target, input: noted, hasSecret, decision };
    const click = { idempotency_key: idempotencyKey(request), said_name, address: request.ip };
    response.json(await recorded(deps, { ...asked, ...click, operator }, act));
  };
}

/** @throws {AppError} `FORBIDDEN`, which is on record. */
function requireRoleOnRecord({ security }: OperatorDeps, operator: Operator, { role, path }: Operation): void {
  try {
    requireRole(operator, role);
  } catch (error) {
    recordRefusal(security, error, { subject: operator.name, target: path });
    throw error;
  }
}

/** `/approvals/apr_1` of `/approvals/apr_1/approve`. */
function targetOf(path: string): string {
  return decodeURIComponent(path.replace(/\/[^/]*$/, ''));
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
