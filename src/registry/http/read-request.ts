import type { Request } from 'express';
import { AppError } from '../../platform/errors.ts';
import { jsonPointer } from '../../platform/field-path.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseJson, parseLargeJson } from '../../platform/intake/parse-json.ts';
import { readBody } from '../../platform/intake/read-body.ts';
import { parseInput } from '../../platform/validation.ts';
import type { RegistryCaller } from '../auth/caller.ts';
import type { Endpoint } from '../endpoint.ts';

/** What came in a request's body: its bytes, and what they say, where the endpoint reads it. */
interface SentBody {
  rawBody: Buffer;
  json?: unknown;
}

const NO_BODY: SentBody = { rawBody: Buffer.alloc(0) };

/** Reads the body through the gate. @throws {AppError} for another type, bad JSON, or too much of it. */
export async function readSent(
  { body, rawBody, bodyBytes, bodyShape }: Endpoint,
  req: Request,
  caller: RegistryCaller | undefined,
): Promise<SentBody> {
  const isRaw = rawBody === true;
  if (body === undefined && !isRaw) return NO_BODY;
  const type = req.get('content-type');
  if (type !== undefined && req.is('application/json') === false)
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as content-type application/json');
  if (type === undefined && !isRaw) return NO_BODY;
  const bytes = await readBody(req, bodyBytes ?? INPUT_LIMITS.registryBodyBytes, {
    isStranger: caller === undefined,
  });
  if (isRaw || bytes.length === 0) return { rawBody: bytes };
  return { ...NO_BODY, json: bodyShape ? await parseLargeJson(bytes, bodyShape) : parseJson(bytes).value };
}

/** A request's parsed input. @throws {AppError} for what does not fit the endpoint's schemas. */
export function parsedRequest(endpoint: Endpoint, req: Request, { rawBody, json }: SentBody) {
  return {
    params: endpoint.params && parseInput(endpoint.params, req.params),
    query: endpoint.query && parseInput(endpoint.query, eachOnce(req.query)),
    body: endpoint.body && parseInput(endpoint.body, json),
    rawBody,
  };
}

/** @throws {AppError} for a parameter that was sent more than once: which of the values is meant, nobody knows. */
function eachOnce(query: Request['query']): Request['query'] {
  const [field] = Object.entries(query).find(([, value]) => Array.isArray(value)) ?? [];
  if (field === undefined) return query;
  throw new AppError('VALIDATION_ERROR', `${field}: send it once`, {
    field,
    issues: [{ pointer: jsonPointer([field]), message: 'send it once' }],
  });
}
