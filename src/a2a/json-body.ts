import express from 'express';
import type { RequestHandler } from 'express';
import { AppError } from '../platform/errors.ts';
import { ProtocolError } from './failure.ts';

/** Arrays and objects within each other that any message can need; more would exhaust the stack of whoever walks them. */
const DEEPEST = 64;

/**
 * Parses a JSON body of at most `limitBytes` after decompression.
 * @throws {AppError} to the next error handler: `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, or a {@link ProtocolError} for
 * what is not JSON.
 */
export function jsonBody(limitBytes: number): RequestHandler {
  const options = { limit: limitBytes, strict: false, type: () => true, verify: checkDepth };
  const parse: RequestHandler = express.json(options);
  return (request, response, next) => {
    const type = request.headers['content-type'];
    if (!isJsonType(type)) {
      next(new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as application/json'));
      return;
    }
    parse(request, response, (error?: unknown) => {
      next(error === undefined ? undefined : bodyError(error, limitBytes));
    });
  };
}

function isJsonType(type: string | undefined): boolean {
  const [media = ''] = (type ?? '').split(';', 1);
  return ['application/json', 'application/a2a+json'].includes(media.trim().toLowerCase());
}

function checkDepth(_request: unknown, _response: unknown, body: Buffer): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      if (++depth > DEEPEST) throw tooDeep();
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
}

function tooDeep(): AppError {
  return new ProtocolError('INVALID_REQUEST', `the body nests deeper than ${DEEPEST} levels`);
}

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

function bodyError(error: unknown, limitBytes: number): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  switch ('type' in error ? error.type : undefined) {
    case 'entity.verify.failed':
      return tooDeep();
    case 'entity.too.large':
      return new AppError('PAYLOAD_TOO_LARGE', `send at most ${limitBytes} bytes`);
    case 'entity.parse.failed':
      return unreadable();
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as UTF-8, plain, gzip, deflate or br');
    default:
      return 'status' in error && Number(error.status) < 500 ? unreadable() : error;
  }
}

function unreadable(): ProtocolError {
  return new ProtocolError('PARSE_ERROR', 'the body is not valid JSON');
}
