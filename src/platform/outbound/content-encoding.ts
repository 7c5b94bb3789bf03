import { Readable } from 'node:stream';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, createBrotliDecompress, createGunzip, createInflate, gunzip, inflate } from 'node:zlib';
import type { ResponseResult } from './outbound-result.ts';

export type Decoded = { ok: true; body: Buffer } | { ok: false; reason: Unusable };
export type Unusable = 'body is too large' | 'body has an unsupported encoding' | 'body does not decode';

/** The body without its content encoding, of at most `maxBytes`: decoding stops there, so a gzip bomb stays small. */
export async function decodedBody({ headers, body }: ResponseResult, maxBytes: number): Promise<Decoded> {
  const encoding = encodingOf(headers);
  if (encoding === 'identity' || body.length === 0) return { ok: true, body };
  const decode = DECODERS.get(encoding);
  if (decode === undefined) return { ok: false, reason: 'body has an unsupported encoding' };
  try {
    return { ok: true, body: await decode(body, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { ok: false, reason: isTooLarge ? 'body is too large' : 'body does not decode' };
  }
}

/**
 * The beginning of a body without its content encoding, up to `maxBytes`: of one that was cut on its way, too. `isCut`: there was more.
 */
export async function decodedStart(
  { headers, body, truncated }: ResponseResult,
  maxBytes: number,
): Promise<{ ok: true; body: Buffer; isCut: boolean } | { ok: false; reason: Unusable }> {
  const encoding = encodingOf(headers);
  if (encoding === 'identity' || body.length === 0) return { ok: true, body, isCut: truncated };
  const stream = STREAMS.get(encoding);
  if (stream === undefined) return { ok: false, reason: 'body has an unsupported encoding' };
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of Readable.from([body]).pipe(stream()) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) break;
    }
  } catch {
    if (!truncated) return { ok: false, reason: 'body does not decode' };
  }
  return { ok: true, body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: truncated || length > maxBytes };
}

function encodingOf(headers: Record<string, string>): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === '' ? 'identity' : encoding;
}

const STREAMS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
