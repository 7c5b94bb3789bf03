import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import express from 'express';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../platform/errors.ts';
import { keepingRequest } from '../platform/request-context.ts';
import { keepContexts } from './context-text.ts';
import { ProtocolError } from './failure.ts';
import { checkValue, DEEPEST, tooDeep } from './value-check.ts';

/**
 * Parses a JSON body of at most `limitBytes` after decompression (RFC 8259: in UTF-8), but for what is kept as it was written;
 * see {@link keepContexts}.
 * @throws {AppError} to the next error handler: `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, or a {@link ProtocolError} for
 * what is not JSON, nests too deep, or holds text that no store can keep.
 */
export function jsonBody(limitBytes: number): RequestHandler {
  const decompress: RequestHandler = express.raw({ limit: limitBytes, type: () => true });
  return (request, response, proceed) => {
    const next = keepingRequest((error?: unknown) => {
      proceed(error);
    });
    if (!isJsonType(request.headers['content-type'])) {
      next(new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as application/json'));
      return;
    }
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding.toLowerCase() === 'identity') {
      readPlain(request, limitBytes, (error, bytes) => {
        next(error ?? bodyRefused(request, bytes));
      });
    } else {
      void decompress(request, response, (error?: unknown) => {
        next(error === undefined ? bodyRefused(request, request.body) : bodyError(error, limitBytes));
      });
    }
  };
}

function isJsonType(type: string | undefined): boolean {
  const [media = ''] = (type ?? '').split(';', 1);
  return ['application/json', 'application/a2a+json'].includes(media.trim().toLowerCase());
}

/** Nearly every body is one chunk, not compressed: a parser for all cases costs as much as the rest of a small request. */
function readPlain(
  request: IncomingMessage,
  limitBytes: number,
  done: (error: AppError | undefined, bytes?: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDone = false;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= limitBytes) chunks.push(chunk);
    else if (!isDone) {
      isDone = true;
      // What else there is flows away.
      done(tooLarge(limitBytes));
    }
  });
  request.on('end', () => {
    if (isDone) return;
    isDone = true;
    done(undefined, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length));
  });
  request.on('close', () => {
    if (isDone) return;
    isDone = true;
    done(unreadable());
  });
}

/** Puts the parsed body into its place; answers what is wrong with it. */
function bodyRefused(request: Request, bytes: unknown): unknown {
  request.body = undefined;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  try {
    request.body = parsed(bytes);
    return undefined;
  } catch (error) {
    return error instanceof SyntaxError ? unreadable() : error;
  }
}

/** @throws {SyntaxError | ProtocolError} */
function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw unreadable();
  checkDepth(bytes);
  const text = bytes.toString('utf8');
  const value: unknown = JSON.parse(text);
  if (HAS_UNSTORABLE.test(text)) checkValue(value);
  return keepContexts(text, value);
}

function checkDepth(body: Buffer): void {
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

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Escapes of a surrogate or of U+0000; most of what it finds is in order. */
const HAS_UNSTORABLE = /\\u(?:d[89a-f]|0000)/i;

function bodyError(error: unknown, limitBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  switch ('type' in error ? error.type : undefined) {
    case 'entity.too.large':
      return tooLarge(limitBytes);
    case 'encoding.unsupported':
      return new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body plain, or compressed by gzip, deflate or br');
    default:
      return 'status' in error && Number(error.status) < 500 ? unreadable() : error;
  }
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `send at most ${limitBytes} bytes`);
}

function unreadable(): ProtocolError {
  return new ProtocolError('PARSE_ERROR', 'the body is not valid JSON in UTF-8');
}
