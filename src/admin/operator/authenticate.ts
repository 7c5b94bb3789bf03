import type { Request, RequestHandler } from 'express';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { takeAndTell } from '../../platform/budget/take-and-tell.ts';
import { addressKey } from '../../platform/client-address.ts';
import { AppError } from '../../platform/errors.ts';
import { operatorOfAccessKey } from '../../directory/operator/access-key.ts';
import { SHARED_KEY_OPERATOR } from '../../directory/operator/operator.ts';
import type { Operator } from '../../directory/operator/operator.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { Store } from '../../platform/store/collection.ts';
import { setOperator } from '../operator-of.ts';
import { isOperatorKey } from './operator-key.ts';

export interface AuthenticateDeps {
  budgets: Budgets;
  store: Store;
  clock: Clock;
  security: SecurityLog;
  /** The one key that all may share, whose holder is an admin. */
  operatorKey: () => Promise<string>;
}

/** Lets operators through and nobody else: a buyer's key is as unknown here as any other. */
export function authenticate(deps: AuthenticateDeps): RequestHandler {
  return async (request, response, next) => {
    const given = bearerOf(request);
    const operator = given === undefined ? undefined : await operatorWith(deps, given);
    if (operator === undefined && given !== undefined) deps.security.record('operator.refused');
    const address = addressKey(request.ip ?? '');
    // What shows nothing, such as a probe, has nothing wrong.
    const isSilent = (request.get('authorization') ?? '') === '';
    const use =
      operator === undefined && !isSilent
        ? ({ name: 'failed_credentials', key: address } as const)
        : ({ name: 'operator_requests', key: operator === undefined ? address : subjectOf(operator) } as const);
    await takeAndTell(deps.budgets, use, (headers) => response.set(headers));
    if (operator !== undefined) {
      setOperator(request, operator);
      next();
      return;
    }
    const hint = given === undefined ? '' : ', error="invalid_token"';
    response.set('WWW-Authenticate', `Bearer realm="operator"${hint}`);
    throw new AppError(
      'UNAUTHORIZED',
      given === undefined
        ? 'send an operator key: Authorization: Bearer <OPERATOR_API_KEY>, or one of npm run agent -- operator-keys add'
        : 'this operator key is unknown, over or revoked; where OPERATOR_API_KEY is not set, the first npm start prints one, on loopback alone; npm run agent finds it by itself',
      { field: 'Authorization' },
    );
  };
}

async function operatorWith(deps: AuthenticateDeps, key: string): Promise<Operator | undefined> {
  return isOperatorKey(key, await deps.operatorKey()) ? SHARED_KEY_OPERATOR : operatorOfAccessKey(deps, key);
}

function subjectOf({ credential }: Operator): string {
  return credential.kind === 'shared_key' ? 'operator' : credential.id;
}

function bearerOf(request: Request): string | undefined {
  return /^bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
}
