import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import { strongEtag } from '../../platform/etag.ts';

/** A document as it is served, to anybody. */
export interface ServedDocument {
  bytes: Buffer;
  /** A strong entity tag (RFC 9110 section 8.8.3). */
  etag: string;
}

/** For how long a document may be believed, in seconds. */
const MAX_AGE_S = 300;

export function servedDocument(text: string): ServedDocument {
  const bytes = Buffer.from(text);
  return { bytes, etag: strongEtag(bytes, 27) };
}

/**
 * Answers with a document, or 304 to who has it. To `HEAD` only the head goes out.
 * @param startedAt since when the document is as it is, in milliseconds, on a full second.
 */
export function sendDocument(
  request: Request,
  response: Response,
  { bytes, etag }: ServedDocument,
  { type, startedAt }: { type: string; startedAt: number },
): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Cache-Control', `public, max-age=${MAX_AGE_S}`);
  response.setHeader('Last-Modified', new Date(startedAt).toUTCString());
  response.setHeader('ETag', etag);
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (isKnown(request.headers, etag, startedAt)) response.status(304).end();
  else response.setHeader('Content-Length', bytes.length).end(bytes);
}

/** Whether the client holds this document already (RFC 9110 section 13.2.2), also when it says `no-cache`. */
function isKnown(headers: IncomingHttpHeaders, etag: string, startedAt: number): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
  return Date.parse(headers['if-modified-since'] ?? '') >= startedAt;
}
