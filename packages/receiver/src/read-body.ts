import { readAtMost } from './wire/read-at-most.ts';

/** What a person is told who had the bytes parsed before the receiver saw them. */
export const BODY_ALREADY_PARSED =
  'the body was read before the webhook receiver could: mount the receiver before any body parser (such as ' +
  'express.json()), or have that route keep the raw bytes, for the signature is over the bytes as they came';

/** A body parser came first: the bytes are gone. */
export class BodyAlreadyParsed extends Error {
  constructor() {
    super(BODY_ALREADY_PARSED);
  }
}

/**
 * The raw bytes of a request's body, at most `maxBytes`; undefined for a larger one, whose rest is not read.
 * @throws {BodyAlreadyParsed} when something has read them, and whatever the stream does when the sender goes away.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  if (request.bodyUsed) throw new BodyAlreadyParsed();
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined;
  return readAtMost(request.body, maxBytes);
}
