import express from 'express';
import type { NextFunction, Request, RequestHandler } from 'express';
import type { z } from 'zod';
import { BridgeRefusal } from './bridge-refusal.ts';
import { idOfSegment } from './path-id.ts';

/** Reads a JSON body of at most `limit` bytes, whatever type it says it is of. @throws {BridgeRefusal} to the error handler. */
export function readJsonBody(limit: number): RequestHandler {
  const read: RequestHandler = express.json({ limit, strict: false, type: () => true });
  return (request, response, next) => {
    const done = (error?: unknown) => {
      next(error === undefined ? undefined : bodyRefusal(error, limit));
    };
    void read(request, response, done as NextFunction);
  };
}

function bodyRefusal(error: unknown, limit: number): BridgeRefusal {
  const isTooLarge = error instanceof Error && 'type' in error && error.type === 'entity.too.large';
  return isTooLarge
    ? new BridgeRefusal(413, 'too_large', `the body is larger than the ${limit} bytes allowed here`)
    : new BridgeRefusal(400, 'invalid_request', 'the body is not valid JSON in UTF-8');
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
