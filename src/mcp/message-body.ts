import type { IncomingMessage } from 'node:http';
import { AppError, invalidRequest } from '../platform/errors.ts';
import { INPUT_LIMITS } from '../platform/intake/input-limits.ts';
import { ANY_SHAPE } from '../platform/intake/json-shape.ts';
import { parseJson } from '../platform/intake/parse-json.ts';
import { readBody } from '../platform/intake/read-body.ts';
import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { compactJson, scanJson } from '../platform/json-scan.ts';

/** One JSON-RPC message, which is still to be looked at by the SDK. */
export interface McpMessage {
  value: JsonObject;
  /** The `context` of a tool's arguments as it was written (rule W19). */
  contextText: string | undefined;
}

const SHAPE = { ...ANY_SHAPE, textBytes: INPUT_LIMITS.textBytes };

/**
 * Reads the body of a request: one message, since each request counts as one (rule S2).
 * @throws {AppError} `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `INVALID_REQUEST`; `NOT_FOUND` for a method that is not served.
 */
export async function readMessage(request: IncomingMessage): Promise<McpMessage> {
  const [media = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (media.trim().toLowerCase() !== 'application/json') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body as application/json');
  }
  return messageIn(await readBody(request, INPUT_LIMITS.mcpBodyBytes));
}

/** The message of a body. @throws {AppError} see {@link readMessage}. */
export function messageIn(bytes: Buffer): McpMessage {
  const { text, value } = parseJson(bytes, { shape: SHAPE, isStored: true });
  if (Array.isArray(value)) throw new AppError('INVALID_REQUEST', 'send one message at a time; there are no batches');
  if (!isObject(value)) throw new AppError('INVALID_REQUEST', 'send a JSON-RPC 2.0 message');
  const { method, params } = value;
  if (method === 'subscriptions/listen')
    throw new AppError('NOT_FOUND', 'nothing here changes that could be listened to');
  if (method !== 'tools/call' || !isObject(params)) return { value, contextText: undefined };
  const { arguments: input } = params;
  if (input !== undefined && !isObject(input)) throw invalidRequest('params.arguments', 'send an object');
  return { value, contextText: isObject(input?.['context']) ? contextTextIn(text) : undefined };
}

function contextTextIn(text: string): string | undefined {
  let found: string | undefined;
  scanJson(text, {
    member(path, start, end) {
      // Of a key that stands twice the last one counts, as it does to the parser.
      if (path.length === PLACE.length && PLACE.every((step, i) => path[i] === step)) found = text.slice(start, end);
    },
  });
  return found === undefined ? undefined : compactJson(found);
}

const PLACE = ['params', 'arguments', 'context'];
