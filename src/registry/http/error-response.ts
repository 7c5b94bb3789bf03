import type { Response } from 'express';
import { AppError } from '../../platform/errors.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import type { Endpoint } from '../endpoint.ts';

/** The status of every error code on the registry's wire. */
const STATUS = {
  INVALID_REQUEST: 400,
  VALIDATION_ERROR: 400,
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
  BUDGET_TOO_LOW: 400,
  UNSUPPORTED_GRANULARITY: 400,
  CREATIVE_IN_USE: 409,
  APPROVAL_REJECTED: 409,
  AD_SERVER_REJECTED: 409,
  UNSUPPORTED_TASK: 400,
  ADDRESS_REFUSED: 400,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  TIMEOUT: 504,
  SERVICE_UNAVAILABLE: 503,
  INTERNAL_ERROR: 500,
} as const satisfies Record<ErrorCode, number>;

/** The HTTP status of an error. */
export function statusOf(error: AppError): number {
  return STATUS[error.code];
}

/** Writes an error body: `error` says what is wrong; further facts stand beside it (rule C.resources.error). */
export function sendError(res: Response, error: AppError, endpoint?: Endpoint): void {
  const { field, issues, retry_after, suggestion, details } = error.details;
  if (retry_after !== undefined) res.set('Retry-After', String(retry_after));
  res.set('Cache-Control', 'no-store');
  const common = { error: error.message, field, issues, suggestion, retry_after, ...details };
  res.status(statusOf(error)).json({ ...common, ...endpoint?.errorBody?.(error.code, error.message) });
}
