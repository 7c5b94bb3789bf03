import { toJsonRpcError } from '@a2a-js/sdk/errors';
import { AppError } from '../platform/errors.ts';
import type { A2aCall, Wire } from './call.ts';
import { A2A_REASONS, errorData, errorDetails, failureOf, ProtocolError } from './failure.ts';
import type { A2aReason } from './failure.ts';

/** The error member of a JSON-RPC answer, with the whole error body in its data (rule B12). */
export function jsonRpcError(error: unknown, wire: Wire): { code: number; message: string; data: unknown } {
  const failure = failureOf(error);
  const data = wire === '0.3' ? errorData(failure) : errorDetails(failure);
  return { code: A2A_REASONS[failure.reason], message: failure.message, data };
}

/**
 * What went wrong behind an error that the SDK shows: what the request handler threw, or what the SDK refused before
 * it. Anything it stumbled over before the handler is a request of the wrong form; its own words for that are not shown.
 * @param shown an error, or the error member of a JSON-RPC answer.
 */
export function failureBehind(call: A2aCall, shown: unknown): unknown {
  if (call.failure !== undefined) return call.failure;
  const { code, message } =
    shown instanceof Error ? toJsonRpcError(shown) : (shown as { code: number; message: string });
  const reason = (Object.keys(A2A_REASONS) as A2aReason[]).find((name) => A2A_REASONS[name] === code);
  if (reason !== undefined && reason !== 'INTERNAL_ERROR') return new ProtocolError(reason, message);
  if (call.entered) return shown instanceof Error ? shown : new Error(message);
  return new AppError('INVALID_REQUEST', 'the request does not have the form that this method needs', {
    field: 'params',
  });
}
