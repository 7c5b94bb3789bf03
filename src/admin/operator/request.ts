import type { Request, RequestHandler } from 'express';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseJson } from '../../platform/intake/parse-json.ts';
import { readBody } from '../../platform/intake/read-body.ts';

/**
 * Reads a JSON body through the gate; none at all is as good as `{}`. A body of another type is not parsed, see {@link bodyOf}.
 * @throws {AppError} for bad JSON, or too much of it.
 */
export const readJson: RequestHandler = async (request, _response, next) => {
  const bytes = await readBody(request, INPUT_LIMITS.operatorBodyBytes);
  if (bytes.length === 0) request.body = {};
  else if (request.is('application/json') !== false) request.body = parseJson(bytes).value;
  next();
};

/** @throws {AppError} `UNSUPPORTED_MEDIA_TYPE` for a body of another type. */
export function bodyOf(request: Request): unknown {
  if (request.body !== undefined) return request.body as unknown;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as content-type application/json', {
    field: 'Content-Type',
  });
}

/**
 * What the caller says of who acts, beside the name that their credential has: the header `Operator-Name`, percent-encoded
 * UTF-8. A note for the record, and no proof.
 * @throws {AppError} `INVALID_REQUEST` for one that is not readable.
 */
export function saidName(request: Request): string | undefined {
  const header = request.get('operator-name');
  if (header === undefined) return undefined;
  const name = decoded(header)?.trim();
  if (name !== undefined && /^[^\p{Cc}\p{Cf}]{1,100}$/u.test(name)) return name;
  const message = 'Operator-Name must be 1 to 100 characters of percent-encoded UTF-8 without control characters';
  throw new AppError('INVALID_REQUEST', message, { field: 'Operator-Name' });
}

/** @throws {AppError} `INVALID_REQUEST` for a key that is not 16–255 of `A-Za-z0-9_.:-` (rule B7). */
export function idempotencyKey(request: Request): string | undefined {
  const key = request.get('idempotency-key');
  if (key === undefined || /^[A-Za-z0-9_.:-]{16,255}$/.test(key)) return key;
  const message = 'Idempotency-Key must be 16 to 255 of letters, digits and _ . : -';
  throw new AppError('INVALID_REQUEST', message, { field: 'Idempotency-Key' });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
