import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** A file that is no whole backup, or not one that may be restored here; the message says what to do. */
export class BackupFileError extends Error {
  override readonly name = 'BackupFileError';
}

const MAGIC = 'media-buy-agent backup 1\n';
const SEAL_LENGTH = '\nsha256 '.length + 64 + 1;
/** Longer than any row can be: what is altered with a sum made anew must not fill the memory either. */
const MOST_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Writes lines of JSON, compressed, under a sum of all bytes, for this account alone (mode 0600). The file has its name once it is
 * whole and on disk; killed before, it leaves `FILE.part`, which the next one replaces.
 */
export async function writeBackupFile(file: string, lines: AsyncIterable<string>): Promise<void> {
  const part = `${file}.part`;
  await rm(part, { force: true });
  await pipeline(
    Readable.from(lines, { objectMode: true }),
    createGzip(),
    sealed,
    createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }),
  );
  await rename(part, file);
  const folder = await open(dirname(file), 'r').catch(() => undefined);
  await folder?.sync();
  await folder?.close();
}

async function* sealed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256').update(MAGIC);
  yield Buffer.from(MAGIC);
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.from(sealOf(hash));
}

function sealOf(hash: Hash): string {
  return `\nsha256 ${hash.digest('hex')}\n`;
}

/**
 * The lines of a backup. Before the first, the sum of the whole file has been checked.
 * @throws {BackupFileError} for one that is cut, altered, or none.
 */
export async function* readBackupFile(file: string): AsyncGenerator {
  const end = await checkSeal(file);
  const content = createReadStream(file, { start: MAGIC.length, end: end - 1 });
  const unzipped = createGunzip();
  content.on('error', (error) => unzipped.destroy(error)).pipe(unzipped);
  try {
    let rest: Buffer[] = [];
    let restBytes = 0;
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        yield JSON.parse(Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8'));
        from = at + 1;
        [rest, restBytes] = [[], 0];
      }
      rest.push(chunk.subarray(from));
      restBytes += chunk.length - from;
      if (restBytes > MOST_LINE_BYTES) throw new BackupFileError(`${file} has a row that is longer than any can be`);
    }
    if (restBytes > 0) throw new BackupFileError(`${file} ends in the midst of a row`);
  } finally {
    content.destroy();
    unzipped.destroy();
  }
}

/** Where the content ends. */
async function checkSeal(file: string): Promise<number> {
  const { size } = await stat(file).catch((cause: unknown) => {
    throw new BackupFileError(`${file} cannot be read; is that its name?`, { cause });
  });
  const end = size - SEAL_LENGTH;
  const hash = createHash('sha256');
  let seal = Buffer.alloc(0);
  let read = 0;
  let head = Buffer.alloc(0);
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const own = Math.max(0, Math.min(chunk.length, end - read));
    hash.update(chunk.subarray(0, own));
    if (own < chunk.length) seal = Buffer.concat([seal, chunk.subarray(own)]);
    if (head.length < MAGIC.length) head = Buffer.concat([head, chunk.subarray(0, MAGIC.length)]);
    read += chunk.length;
  }
  const beginning = head.subarray(0, MAGIC.length).toString('latin1');
  const version = /^media-buy-agent backup (\d+)\n/.exec(beginning)?.[1];
  const isWhole = end > MAGIC.length && seal.toString('latin1') === sealOf(hash);
  if (beginning === MAGIC && isWhole) return end;
  if (isWhole && version !== undefined)
    throw new BackupFileError(
      `${file} has format ${version}, and this program reads 1; restore it with a newer release`,
    );
  throw new BackupFileError(
    `${file} is cut, altered, or no backup: its sum is not that of its content; take another one`,
  );
}
