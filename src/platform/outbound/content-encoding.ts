import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { ResponseResult } from './outbound-result.ts';

export type Decoded = { ok: true; body: Buffer } | { ok: false; reason: Unusable };
export type Unusable = 'body is too large' | 'body has an unsupported encoding' | 'body does not decode';

/** The body without its content encoding, of at most `maxBytes`: decoding stops there, so a gzip bomb stays small. */
export async function decodedBody({ headers, body }: ResponseResult, maxBytes: number): Promise<Decoded> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '' || body.length === 0) return { ok: true, body };
  const decode = DECODERS.get(encoding);
  if (decode === undefined) return { ok: false, reason: 'body has an unsupported encoding' };
  try {
    return { ok: true, body: await decode(body, { maxOutputLength: maxBytes }) };
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { ok: false, reason: isTooLarge ? 'body is too large' : 'body does not decode' };
  }
}

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decode> = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);
