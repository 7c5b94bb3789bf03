import express from 'express';
import type { ErrorRequestHandler, Request } from 'express';
import { AppError } from '../../platform/errors.ts';

const BODY_BYTES = 100_000;

/** Reads a JSON body of at most 100 kB; none at all is as good as `{}`. */
export const readBody = express.json({ limit: BODY_BYTES });

/** Puts what {@link readBody} refuses into words. */
export const explainBody: ErrorRequestHandler = (error: unknown, _request, _response, next) => {
  const { type } = error as { type?: string };
  if (type === 'entity.too.large') {
    next(new AppError('PAYLOAD_TOO_LARGE', `the body is larger than the ${BODY_BYTES} bytes allowed here`));
  } else if (type === 'entity.parse.failed') {
    next(new AppError('INVALID_REQUEST', 'the body is not a valid JSON object'));
  } else if (type !== undefined) {
    next(new AppError('INVALID_REQUEST', 'the body cannot be read; send JSON in UTF-8'));
  } else next(error);
};

/** @throws {AppError} `UNSUPPORTED_MEDIA_TYPE` for a body of another type. */
export function bodyOf(request: Request): unknown {
  const isEmpty = Number(request.get('content-length') ?? 0) === 0 && request.get('transfer-encoding') === undefined;
  if (isEmpty) return {};
  if (request.is('application/json') === false) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as content-type application/json', {
      field: 'Content-Type',
    });
  }
  return request.body as unknown;
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
