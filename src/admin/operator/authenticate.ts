import type { Request, RequestHandler } from 'express';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { takeAndTell } from '../../platform/budget/take-and-tell.ts';
import type { Say } from '../../platform/budget/take-and-tell.ts';
import { addressKey } from '../../platform/client-address.ts';
import { AppError } from '../../platform/errors.ts';
import { operatorOfAccessKey } from '../../directory/operator/access-key.ts';
import { SHARED_KEY_OPERATOR } from '../../directory/operator/operator.ts';
import type { Operator } from '../../directory/operator/operator.ts';
import type { Clock } from '../../platform/clock.ts';
import { limitedCredentials } from '../../platform/security/limited-credentials.ts';
import type { CredentialSource } from '../../platform/security/limited-credentials.ts';
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
  const { budgets, security } = deps;
  const look = limitedCredentials((key) => operatorOfAccessKey(deps, key), deps);
  return async (request, response, next) => {
    const given = bearerOf(request);
    const address = request.ip ?? '';
    const say: Say = (headers) => response.set(headers);
    const operator = given === undefined ? undefined : await operatorWith(given, { address, say });
    if (operator !== undefined) {
      await takeAndTell(budgets, { name: 'operator_requests', key: subjectOf(operator) }, say);
      setOperator(request, operator);
      next();
      return;
    }
    if (given === undefined) {
      // What shows nothing, such as a probe, has nothing wrong.
      const isSilent = (request.get('authorization') ?? '') === '';
      const name = isSilent ? 'operator_requests' : 'failed_credentials';
      await takeAndTell(budgets, { name, key: addressKey(address) }, say);
    } else security.record('operator.refused');
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

  /** The shared key needs no look, so nobody who has it waits for neighbours, whatever they send. */
  async function operatorWith(key: string, from: CredentialSource): Promise<Operator | undefined> {
    return isOperatorKey(key, await deps.operatorKey()) ? SHARED_KEY_OPERATOR : look(key, from);
  }
}

function subjectOf({ credential }: Operator): string {
  return credential.kind === 'shared_key' ? 'operator' : credential.id;
}

function bearerOf(request: Request): string | undefined {
  return /^bearer +(\S+) *$/i.exec(request.get('authorization') ?? '')?.[1];
}
