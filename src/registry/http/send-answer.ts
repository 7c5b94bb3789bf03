import type { Response } from 'express';
import type { Answer, Endpoint } from '../endpoint.ts';
import { sendGzipped, sendJson } from './send-json.ts';
import { sendPieces } from './send-pieces.ts';

/** Sends an answer after checking it against what the endpoint declares. @throws {Error} when it does not fit. */
export async function sendAnswer(
  res: Response,
  endpoint: Endpoint,
  { status = 200, body, json, gzipped, text, stream, headers = {} }: Answer,
  stallMs?: number,
): Promise<void> {
  const declared = endpoint.responses[status];
  if (declared === undefined) throw new Error(`${endpoint.id} answered ${status}, which it does not declare`);
  if (res.headersSent) {
    // The caller has been told that the store is away. What the stream holds is let go all the same.
    for await (const _ of stream?.(AbortSignal.abort()) ?? []) break;
    return;
  }
  res.status(status).set(headers);
  if (stream !== undefined) await sendPieces(res.type(declared.contentType ?? 'text/plain'), stream, stallMs);
  else if (json !== undefined) sendJson(res, json);
  else if (gzipped !== undefined) await sendGzipped(res, gzipped);
  else if (text !== undefined) res.type(declared.contentType ?? 'text/plain').send(text);
  else if (declared.schema !== undefined) res.json(declared.schema.parse(body));
  else res.end();
}
