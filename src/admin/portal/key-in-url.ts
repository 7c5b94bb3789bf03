import type { RequestHandler } from 'express';
import { AppError } from '../../platform/errors.ts';

/** Refuses a key in a URL, which logs and histories keep: it is nobody's secret any more. */
export const withoutKeyInUrl: RequestHandler = (request, _response, next) => {
  const isKey = ([name, value]: [string, unknown]) =>
    /^(api_?key|key|token|access_token|authorization)$/i.test(name) || JSON.stringify(value).includes('mk_live_');
  if (!Object.entries(request.query).some(isKey)) {
    next();
    return;
  }
  throw new AppError(
    'INVALID_REQUEST',
    'an API key never goes into an address: revoke it, and send a new one by the form',
  );
};
