import type { Request, RequestHandler } from 'express';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { takeAndTell } from '../../platform/budget/take-and-tell.ts';
import { addressKey } from '../../platform/client-address.ts';
import { AppError } from '../../platform/errors.ts';
import { isOperatorKey } from './operator-key.ts';

export interface AuthenticateDeps {
  budgets: Budgets;
  /** The one key that is good. */
  operatorKey: () => Promise<string>;
}

/** Lets the operator through and nobody else: a buyer's key is as unknown here as any other. */
export function authenticate({ budgets, operatorKey }: AuthenticateDeps): RequestHandler {
  return async (request, response, next) => {
    const given = bearerOf(request);
    const isKnown = given !== undefined && isOperatorKey(given, await operatorKey());
    const use = isKnown
      ? ({ name: 'operator_requests', key: 'operator' } as const)
      : ({ name: 'failed_credentials', key: addressKey(request.ip ?? '') } as const);
    await takeAndTell(budgets, use, (headers) => response.set(headers));
    if (isKnown) {
      next();
      return;
    }
    const hint = given === undefined ? '' : ', error="invalid_token"';
    response.set('WWW-Authenticate', `Bearer realm="operator"${hint}`);
    throw new AppError(
      'UNAUTHORIZED',
      given === undefined
        ? 'send the operator key: Authorization: Bearer <OPERATOR_API_KEY>'
        : 'this is not the operator key; npm start prints it where OPERATOR_API_KEY is not set',
      { field: 'Authorization' },
    );
  };
}

function bearerOf(request: Request): string | undefined {
  return /^bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
}
