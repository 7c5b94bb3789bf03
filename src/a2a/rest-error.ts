import type { Wire } from './call.ts';
import { A2A_REASONS, BAD_REQUEST_TYPE, errorData, errorDetails, violationsOf } from './failure.ts';
import type { Failure } from './failure.ts';

/** The error that the SDK put into a body of either generation, by its JSON-RPC code where it has one. */
export function errorIn(body: unknown): unknown {
  const { code, message, error } = body as { code?: number; message?: string; error?: RestStatus };
  if (error === undefined) return { code, message };
  const reason = error.details.find((detail) => detail.reason !== undefined)?.reason ?? '';
  const known = reason in A2A_REASONS ? A2A_REASONS[reason as keyof typeof A2A_REASONS] : A2A_REASONS.INTERNAL_ERROR;
  return { code: known, message: error.message };
}

/** The body that tells a failure in a generation. */
export function failureBody(failure: Failure, wire: Wire): unknown {
  return wire === '0.3' ? legacyError(failure) : restError(failure);
}

interface RestStatus {
  message: string;
  details: { reason?: string }[];
}

/** An error of 1.0: `google.rpc.Status` in JSON (AIP-193), with each problem of the request (rule B12.details). */
function restError(failure: Failure) {
  const { status, message, reason, body } = failure;
  const name = reason === 'TASK_NOT_CANCELABLE' ? 'FAILED_PRECONDITION' : STATUS_NAMES[status];
  const error = { code: status, status: name ?? 'UNKNOWN', message };
  const fieldViolations = violationsOf(body);
  const badRequest = fieldViolations.length > 0 ? [{ '@type': BAD_REQUEST_TYPE, fieldViolations }] : [];
  return { error: { ...error, details: [...errorDetails(failure), ...badRequest] } };
}

/** An error of 0.3: as in JSON-RPC, without its envelope. */
function legacyError(failure: Failure) {
  const { reason, message } = failure;
  return { code: A2A_REASONS[reason], message, data: errorData(failure) };
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  409: 'FAILED_PRECONDITION',
  410: 'OUT_OF_RANGE',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  422: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};
