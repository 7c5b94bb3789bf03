import type { Request, RequestHandler } from 'express';
import type { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { HTTP_STATUS } from '../../platform/http-status.ts';
import type { Shape } from '../../platform/intake/json-shape.ts';
import { parseJson } from '../../platform/intake/parse-json.ts';
import { readBody } from '../../platform/intake/read-body.ts';
import { BridgeRefusal } from './bridge-refusal.ts';
import { idOfSegment } from './path-id.ts';

/**
 * Reads a body of at most `limit` bytes as JSON in UTF-8 (RFC 8259), whatever type it says it is of. Nothing at all is
 * undefined. `prove` sees the bytes before anybody understands them. @throws {BridgeRefusal} to the error handler.
 */
export function readJsonBody(
  limit: number,
  prove?: (request: Request, body: Buffer) => Promise<void>,
  shape?: Shape,
): RequestHandler {
  return async (request, response, next) => {
    request.body = undefined;
    try {
      const bytes = await readBody(request, limit);
      await prove?.(request, bytes);
      if (bytes.length > 0) request.body = parseJson(bytes, { ...(shape && { shape }) }).value;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { retry_after } = error.details;
      if (retry_after !== undefined) response.set('Retry-After', String(retry_after));
      throw bodyRefusal(error);
    }
    next();
  };
}

function bodyRefusal({ code, message, details }: AppError): BridgeRefusal {
  if (code === 'PAYLOAD_TOO_LARGE') return new BridgeRefusal(413, 'too_large', message);
  return new BridgeRefusal(HTTP_STATUS[code], code.toLowerCase(), message, details.details);
}

/** A value of the request as its schema has it. @throws {BridgeRefusal} naming what does not fit, below `place`. */
export function inputOf<T>(schema: z.ZodType<T>, value: unknown, place: 'body' | 'query'): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { issues } = result.error;
  const told = issues.slice(0, MAX_ISSUES).map(({ path, message }) => `${[place, ...path].join('.')}: ${message}`);
  const more = issues.length > MAX_ISSUES ? ['and more'] : [];
  throw new BridgeRefusal(400, 'invalid_request', [...told, ...more].join('; '));
}

const MAX_ISSUES = 10;

/** Refuses a body that is about another thing than the path names. */
export function agreesWithPath({ params }: Request, field: string, inBody: string): void {
  if (pathId(params[field]) !== inBody)
    throw new BridgeRefusal(400, 'invalid_request', `body.${field}: is another than the path names`);
}

/** The id that a parameter of the path names. */
export function pathId(segment: string | string[] | undefined): string {
  return idOfSegment(typeof segment === 'string' ? segment : '');
}
