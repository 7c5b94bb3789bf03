import type { Request, RequestHandler } from 'express';
import { AppError } from '../../platform/errors.ts';
import type { RateLimit, RateLimiter } from '../../platform/redis/rate-limit.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import { isOperatorKey } from './operator-key.ts';

export interface AuthenticateDeps {
  limiter: RateLimiter;
  security: SecurityLog;
  /** The one key that is good. */
  operatorKey: () => Promise<string>;
}

/** Of the operator, over all servers. */
const REQUESTS: RateLimit = { name: 'operator-requests', points: 1_200, seconds: 60 };
/** Of one address without a good key: against guessing. */
const STRANGERS: RateLimit = { name: 'operator-strangers', points: 30, seconds: 60 };

/** Lets the operator through and nobody else: a buyer's key is as unknown here as any other. */
export function authenticate({ limiter, security, operatorKey }: AuthenticateDeps): RequestHandler {
  return async (request, response, next) => {
    const given = bearerOf(request);
    const isKnown = given !== undefined && isOperatorKey(given, await operatorKey());
    if (!isKnown && given !== undefined) security.record('operator.refused');
    const limit = isKnown ? REQUESTS : STRANGERS;
    const verdict = await limiter.take(limit, isKnown ? 'operator' : (request.ip ?? ''));
    response.set({
      'RateLimit-Limit': String(limit.points),
      'RateLimit-Remaining': String(verdict.remaining),
      'RateLimit-Reset': String(verdict.resetSeconds),
    });
    if (!verdict.allowed) {
      const message = `too many requests; try again in ${verdict.resetSeconds} seconds`;
      throw new AppError('RATE_LIMITED', message, { retry_after: verdict.resetSeconds });
    }
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
