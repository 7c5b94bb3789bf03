import type { Response } from 'express';
import { StoreUnavailableError } from '../../platform/collection.ts';
import { AppError, errorBodyOf } from '../../platform/errors.ts';
import type { ErrorBody, ErrorCode } from '../../platform/errors.ts';

/** The status of every error code on the operator's wire (rule B12). */
const STATUS = {
  INVALID_REQUEST: 400,
  VALIDATION_ERROR: 422,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  PRODUCT_NOT_FOUND: 404,
  PRICING_OPTION_NOT_FOUND: 404,
  FORMAT_NOT_FOUND: 404,
  MEDIA_BUY_NOT_FOUND: 404,
  PACKAGE_NOT_FOUND: 404,
  CREATIVE_NOT_FOUND: 404,
  CONFLICT: 409,
  IDEMPOTENCY_CONFLICT: 409,
  IDEMPOTENCY_IN_FLIGHT: 409,
  INVALID_STATE: 409,
  NOT_CANCELLABLE: 409,
  BUDGET_TOO_LOW: 422,
  UNSUPPORTED_GRANULARITY: 400,
  CREATIVE_IN_USE: 409,
  APPROVAL_REJECTED: 409,
  AD_SERVER_REJECTED: 409,
  UNSUPPORTED_TASK: 404,
  ADDRESS_REFUSED: 400,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  TIMEOUT: 504,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number>;

/** What the operator learns of anything thrown: known errors as they are, a store that is away, else a bare fault. */
export function errorBodyFor(error: unknown): ErrorBody {
  if (error instanceof URIError) return new AppError('INVALID_REQUEST', MALFORMED_PATH).toBody();
  return error instanceof StoreUnavailableError ? STORE_AWAY.toBody() : errorBodyOf(error);
}

const MALFORMED_PATH = 'the path is not well-formed: check its percent-escapes';

const STORE_AWAY = new AppError('SERVICE_UNAVAILABLE', 'the agent cannot reach its store; try again', {
  retry_after: 5,
});

/** Writes `{error: {code, message, field, …}}` with its status (rule B12). */
export function sendError(response: Response, error: ErrorBody): void {
  if (error.retry_after !== undefined) response.set('Retry-After', String(error.retry_after));
  response.status(STATUS[error.code]).json({ error });
}
