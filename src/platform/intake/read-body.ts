import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { systemClock } from '../clock.ts';
import { AppError } from '../errors.ts';
import { brokenOff, tooManyBytes } from './input-refusal.ts';
import { createUnfinishedBytes } from './unfinished-bytes.ts';
import type { ByteHolder, UnfinishedBytes } from './unfinished-bytes.ts';

/** A request as Node has it, or as Express has it, which knows the address behind proxies. */
type Sender = IncomingMessage & {
  ip?: string | undefined;
  /** Counts the bytes under way; see {@link countedIn}. Absent: they count beside all others that nobody counts. */
  unfinished?: UnfinishedBytes;
};

const uncounted = createUnfinishedBytes({ clock: systemClock });

/** Has what is read of a request's body counted here, by whoever reads it. */
export function countedIn(unfinished: UnfinishedBytes, request: IncomingMessage): void {
  (request as Sender).unfinished = unfinished;
}

export interface ReadBodyOptions {
  /** Whether who calls is not known, or not yet; default: known. */
  isStranger?: boolean;
}

/**
 * The one place where the body of a request is read (rule S1): at most `limitBytes`, also after decompression; empty where there
 * is none. What comes beyond the limit flows away.
 * @throws {AppError} `PAYLOAD_TOO_LARGE`, `UNSUPPORTED_MEDIA_TYPE` for an unknown compression, `RATE_LIMITED` or
 * `SERVICE_UNAVAILABLE` for too many unfinished bodies; {@link InputRefusal} for one that broke off.
 */
export async function readBody(
  request: Sender,
  limitBytes: number,
  { isStranger = false }: ReadBodyOptions = {},
): Promise<Buffer> {
  const decompress = decompressorOf(request);
  const from = { address: request.ip ?? request.socket.remoteAddress ?? '', isStranger };
  const bytes = await bytesOf(request, limitBytes, from, request.unfinished ?? uncounted);
  if (decompress === undefined || bytes.length === 0) return bytes;
  try {
    return await decompress(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooManyBytes(limitBytes) : brokenOff();
  }
}

type Decompress = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECOMPRESSORS: Readonly<Record<string, Decompress>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

/** @throws {AppError} `UNSUPPORTED_MEDIA_TYPE`. */
function decompressorOf({ headers }: IncomingMessage): Decompress | undefined {
  const encoding = (headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return undefined;
  if (Object.hasOwn(DECOMPRESSORS, encoding)) return DECOMPRESSORS[encoding];
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send the body plain, or compressed by gzip, deflate or br');
}

function bytesOf(request: Sender, limitBytes: number, from: ByteHolder, unfinished: UnfinishedBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isOver = false;
    function over(): boolean {
      if (isOver) return false;
      isOver = true;
      unfinished.letGo(from, length);
      return true;
    }
    function refuse(error: Error): void {
      if (over()) reject(error);
      chunks.length = 0;
    }
    // Every request closes; its refusal is made for those alone that are not over.
    function breakOff(): void {
      if (isOver) chunks.length = 0;
      else refuse(brokenOff());
    }
    // Whoever has gone while we asked who they are sends nothing more.
    if (request.destroyed) breakOff();
    request.on('data', (chunk: Buffer) => {
      if (isOver) return;
      if (length + chunk.length > limitBytes) {
        refuse(tooManyBytes(limitBytes));
        return;
      }
      try {
        unfinished.hold(from, chunk.length);
      } catch (error) {
        refuse(error as Error);
        return;
      }
      length += chunk.length;
      chunks.push(chunk);
    });
    request.on('end', () => {
      const [only = Buffer.alloc(0), ...more] = chunks;
      if (over()) resolve(more.length === 0 ? only : Buffer.concat(chunks, length));
    });
    request.on('error', breakOff);
    request.on('close', breakOff);
  });
}
