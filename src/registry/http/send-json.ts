import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Response } from 'express';

const decompress = promisify(gunzip);

/** Of bytes that have been sent: what is kept and asked for again is not digested again. */
const etags = new WeakMap<Buffer, string>();

/** Sends JSON as it stands, with the ETag that Express makes of it. Bytes are not to be written to afterwards. */
export function sendJson(res: Response, json: string | Buffer): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  const etag = typeof json === 'string' ? undefined : etagOf(res, json);
  if (etag !== undefined && !res.hasHeader('ETag')) res.setHeader('ETag', etag);
  res.send(json);
}

/** Sends JSON that is at hand in gzip: so to whoever takes it, else as what it is. */
export async function sendGzipped(res: Response, gzipped: Buffer): Promise<void> {
  if (res.req.acceptsEncodings('gzip') === false) {
    sendJson(res, await decompress(gzipped));
    return;
  }
  res.setHeader('Content-Encoding', 'gzip');
  sendJson(res, gzipped);
}

function etagOf(res: Response, bytes: Buffer): string | undefined {
  const known = etags.get(bytes);
  if (known !== undefined) return known;
  const make = res.app.get('etag fn') as ((bytes: Buffer) => string) | undefined;
  const etag = make?.(bytes);
  if (etag !== undefined) etags.set(bytes, etag);
  return etag;
}
