import type { Request, RequestHandler } from 'express';
import { MissingCredential } from '../directory/credential/credential-refusal.ts';
import { AppError } from '../platform/errors.ts';
import { isObject } from '../platform/json-object.ts';

/** The methods by which something may be asked without a credential; what it is, the request handler looks at. */
const SENDS: ReadonlySet<unknown> = new Set([
  ...['SendMessage', 'SendStreamingMessage'],
  ...['message/send', 'message/stream'],
]);

/**
 * Reads the body of a request without a credential, and lets only those go on that may ask for what is told to anybody. All others
 * need a credential first, whatever is wrong with them besides.
 * @throws {AppError} to the next error handler: `UNAUTHORIZED`; `RATE_LIMITED`; faults.
 */
export function strangersBody(parse: RequestHandler): RequestHandler {
  return async (request, response, next) => {
    try {
      // What reads the body calls back only when it could.
      await parse(request, response, () => undefined);
    } catch (error) {
      throw isOurs(error) ? error : new MissingCredential();
    }
    if (!isSend(request)) throw new MissingCredential();
    next();
  };
}

function isOurs(error: unknown): boolean {
  return error instanceof AppError && error.code === 'RATE_LIMITED';
}

function isSend({ body }: Request): boolean {
  return isObject(body) && SENDS.has(body['method']);
}
