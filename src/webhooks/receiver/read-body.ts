import type { IncomingMessage } from 'node:http';

/**
 * The raw bytes of a request body, at most `maxBytes`; undefined for a larger one, whose rest is thrown away as it comes.
 * Takes what `express.raw()` has read, if it ran before.
 * @throws {Error} when another body parser has consumed the bytes, which are then gone, or the sender went away.
 */
export function readBody(request: IncomingMessage & { body?: unknown }, maxBytes: number): Promise<Buffer | undefined> {
  const { body } = request;
  if (Buffer.isBuffer(body)) return Promise.resolve(body.length > maxBytes ? undefined : body);
  if (request.readableEnded || body !== undefined) {
    return Promise.reject(new Error('mount the webhook receiver before any body parser: it needs the raw bytes'));
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve(undefined);
    });
    request.on('end', () => {
      resolve(size > maxBytes ? undefined : Buffer.concat(chunks));
    });
    request.on('error', reject);
    request.on('close', () => {
      reject(new Error('the sender went away before the end of the body'));
    });
  });
}
