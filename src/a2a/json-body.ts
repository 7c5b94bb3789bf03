import type { Request, RequestHandler } from 'express';
import { AppError } from '../platform/errors.ts';
import { InputRefusal } from '../platform/intake/input-refusal.ts';
import { parseJson } from '../platform/intake/parse-json.ts';
import { readBody } from '../platform/intake/read-body.ts';
import { keepContexts } from './context-text.ts';
import { A2A_SHAPE, protocolError } from './value-check.ts';

/**
 * Parses a JSON body of at most `limitBytes` after decompression (RFC 8259: in UTF-8), but for what is kept as it was written;
 * see {@link keepContexts}.
 * @throws {AppError} to the next error handler: `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, or a {@link ProtocolError} for
 * what is not JSON, is of no good shape, or holds text that no store can keep.
 */
export function jsonBody(limitBytes: number): RequestHandler {
  return async (request, _response, next) => {
    if (!isJsonType(request.headers['content-type'])) {
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as application/json');
    }
    try {
      await takeBody(request, limitBytes);
    } catch (error) {
      throw error instanceof InputRefusal ? protocolError(error) : error;
    }
    next();
  };
}

async function takeBody(request: Request, limitBytes: number): Promise<void> {
  request.body = undefined;
  const bytes = await readBody(request, limitBytes);
  if (bytes.length === 0) return;
  const { text, value } = parseJson(bytes, { shape: A2A_SHAPE, isStored: true });
  request.body = keepContexts(text, value);
}

function isJsonType(type: string | undefined): boolean {
  const [media = ''] = (type ?? '').split(';', 1);
  return ['application/json', 'application/a2a+json'].includes(media.trim().toLowerCase());
}
