import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { strongEtag } from '../../platform/etag.ts';

/** A document as it is served, to anybody. */
export interface ServedDocument {
  /** In one of its encodings; each is made once, when it is first asked for. */
  in(encoding: Encoding): Promise<Representation>;
}

type Encoding = 'br' | 'gzip' | 'identity';

interface Representation {
  bytes: Buffer;
  /** A strong entity tag (RFC 9110 section 8.8.3): other bytes, another tag. */
  etag: string;
  /** What the bytes are in: the document itself where its encoding is no shorter. */
  encoding: Encoding;
}

/** For how long a document may be believed, in seconds. */
const MAX_AGE_S = 300;

const COMPRESS = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export function servedDocument(text: string): ServedDocument {
  const bytes = Buffer.from(text);
  const plain: Representation = { bytes, etag: strongEtag(bytes, 27), encoding: 'identity' };
  const made = new Map<Encoding, Promise<Representation>>();

  async function make(encoding: Encoding): Promise<Representation> {
    if (encoding === 'identity') return plain;
    const short: Buffer = await COMPRESS[encoding](bytes);
    if (short.length >= bytes.length) return plain;
    return { bytes: short, etag: plain.etag.replace(/"$/, `-${encoding}"`), encoding };
  }

  return {
    in(encoding) {
      const representation = made.get(encoding) ?? make(encoding);
      made.set(encoding, representation);
      return representation;
    },
  };
}

/**
 * Answers with a document in the encoding that the client likes best, or 304 to who has it so. To `HEAD` only the head goes out.
 * @param startedAt since when the document is as it is, in milliseconds, on a full second.
 */
export async function sendDocument(
  request: Request,
  response: Response,
  document: ServedDocument,
  { type, startedAt }: { type: string; startedAt: number },
): Promise<void> {
  const { bytes, etag, encoding } = await document.in(likedBest(request));
  response.setHeader('Content-Type', type);
  response.setHeader('Cache-Control', `public, max-age=${MAX_AGE_S}`);
  response.setHeader('Last-Modified', new Date(startedAt).toUTCString());
  response.setHeader('ETag', etag);
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.vary('Accept-Encoding');
  if (isKnown(request, etag, startedAt)) {
    response.status(304).end();
    return;
  }
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  response.setHeader('Content-Length', bytes.length).end(bytes);
}

/** By `Accept-Encoding` (RFC 9110 section 12.5.3); who refuses every one of them gets the document as it is. */
function likedBest(request: Request): Encoding {
  const liked = request.acceptsEncodings('br', 'gzip', 'identity');
  return liked === 'br' || liked === 'gzip' ? liked : 'identity';
}

/** Whether the client holds this document already (RFC 9110 section 13.2.2), also when it says `no-cache`. */
function isKnown({ headers }: Request, etag: string, startedAt: number): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return tags.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
  return Date.parse(headers['if-modified-since'] ?? '') >= startedAt;
}
