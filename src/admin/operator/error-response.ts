import type { Response } from 'express';
import { AppError } from '../../platform/errors.ts';
import type { ErrorBody } from '../../platform/errors.ts';
import { currentRequest } from '../../platform/request-context.ts';
import { HTTP_STATUS } from '../../platform/http-status.ts';
import { shownError } from '../../platform/store/shown-error.ts';

/** What the operator learns of anything thrown: known errors as they are, a store that is away, else a bare fault. */
export function errorBodyFor(error: unknown): ErrorBody {
  if (error instanceof URIError) return new AppError('INVALID_REQUEST', MALFORMED_PATH).toBody();
  return shownError(error).toBody();
}

const MALFORMED_PATH = 'the path is not well-formed: check its percent-escapes';

/** Writes `{error: {code, message, field, …}, request_id}` with its status (rule B12). */
export function sendErrorBody(response: Response, error: ErrorBody): void {
  if (error.retry_after !== undefined) response.set('Retry-After', String(error.retry_after));
  response.status(HTTP_STATUS[error.code]).json({ error, request_id: currentRequest()?.request_id });
}
