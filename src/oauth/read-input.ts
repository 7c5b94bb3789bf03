import type { RequestHandler } from 'express';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { parseForm } from '../platform/intake/parse-form.ts';
import { parseJson } from '../platform/intake/parse-json.ts';
import { readBody } from '../platform/intake/read-body.ts';

/** Reads a form through the gate; a body of another type stays unread. @throws {AppError} */
export function readForm(limitBytes: number): RequestHandler {
  return async (req, _res, next) => {
    if (typeof req.is('application/x-www-form-urlencoded') === 'string')
      req.body = parseForm(await readBody(req, limitBytes, { isStranger: true }));
    next();
  };
}

/** Reads JSON through the gate; a body of another type stays unread. @throws {AppError} */
export const readMetadata: RequestHandler = async (req, _res, next) => {
  if (typeof req.is('application/json') === 'string') {
    const bytes = await readBody(req, INPUT_LIMITS.oauthBodyBytes, { isStranger: true });
    if (bytes.length > 0) req.body = parseJson(bytes).value;
  }
  next();
};
