import express from 'express';
import type { NextFunction, Request, RequestHandler } from 'express';
import type { z } from 'zod';
import { BridgeRefusal } from './bridge-refusal.ts';
import { idOfSegment } from './path-id.ts';

/**
 * Reads a body of at most `limit` bytes as JSON in UTF-8 (RFC 8259), whatever type it says it is of. Nothing at all is
 * undefined. `prove` sees the bytes before anybody understands them. @throws {BridgeRefusal} to the error handler.
 */
export function readJsonBody(limit: number, prove?: (request: Request, body: Buffer) => Promise<void>): RequestHandler {
  const read: RequestHandler = express.raw({ limit, type: () => true });
  return async (request, response, next) => {
    await new Promise<void>((resolve, reject) => {
      const done = (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(bodyRefusal(error, limit));
      };
      void read(request, response, done as NextFunction);
    });
    const bytes: unknown = request.body;
    await prove?.(request, Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0));
    next(parseBody(request));
  };
}

/** Puts the parsed body in the place of its bytes; answers what is wrong with it. */
function parseBody(request: Request): BridgeRefusal | undefined {
  const bytes: unknown = request.body;
  request.body = undefined;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return undefined;
  try {
    request.body = JSON.parse(UTF_8.decode(bytes)) as unknown;
    return undefined;
  } catch {
    return notJson();
  }
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function notJson(): BridgeRefusal {
  return new BridgeRefusal(400, 'invalid_request', 'the body is not valid JSON in UTF-8');
}

function bodyRefusal(error: unknown, limit: number): BridgeRefusal {
  const isTooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
  return isTooLarge ? new BridgeRefusal(413, 'too_large', `send at most ${limit} bytes`) : notJson();
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
