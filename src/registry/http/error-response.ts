import type { Response } from 'express';
import { AppError } from '../../platform/errors.ts';
import { InputRefusal } from '../../platform/intake/input-refusal.ts';
import { currentRequest } from '../../platform/request-context.ts';
import { HTTP_STATUS } from '../../platform/http-status.ts';
import type { Endpoint } from '../endpoint.ts';

/**
 * Input that does not fit an endpoint's schema is 400 here, not 422 (rules C.errors.check, C.errors.scope, R4, R7, R12).
 */
const SCHEMA_FAILURE = 400;

/** The HTTP status of an error. */
export function statusOf(error: AppError): number {
  return error.code === 'VALIDATION_ERROR' ? SCHEMA_FAILURE : HTTP_STATUS[error.code];
}

/** Writes an error body: `error` says what is wrong; further facts stand beside it (rule C.resources.error). */
export function sendError(res: Response, error: AppError, endpoint?: Endpoint): void {
  const { field, issues, retry_after, suggestion, details } = error.details;
  if (retry_after !== undefined) res.set('Retry-After', String(retry_after));
  res.set('Cache-Control', 'no-store');
  const request_id = currentRequest()?.request_id;
  const common = { error: error.message, field, issues, suggestion, retry_after, ...details, request_id };
  res.status(statusOf(error)).json({ ...common, ...endpoint?.errorBody?.(error.code, error.message) });
}

/** The refusal of too much, with what to do instead. */
export function withRemedy(error: unknown, { tooLarge: suggestion }: Endpoint): unknown {
  if (suggestion === undefined || !(error instanceof AppError)) return error;
  const isTooMuch =
    error.code === 'PAYLOAD_TOO_LARGE' || (error instanceof InputRefusal && error.refusedFor === 'shape');
  return isTooMuch ? new AppError(error.code, error.message, { ...error.details, suggestion }) : error;
}
