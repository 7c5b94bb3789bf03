const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;

/** What a document fetch gives; `json` is undefined when the body is not JSON. */
export interface FetchedJson {
  status: number;
  json: unknown;
}

/**
 * Fetches a JSON document. Everything the kit reads from the network goes through one of these; give your own to add
 * caching, proxies or an address guard. It may throw: that counts as "not there now".
 */
export type FetchJson = (url: string) => Promise<FetchedJson>;

/**
 * By the global `fetch`, with bounds: https only (http to loopback with `allowLoopback`), no redirects, 10 s and 256 KiB.
 * It does not look at addresses: a `jwks_uri` is the sender's word, so run it where reaching an internal address does no
 * harm, or give a guarded {@link FetchJson}.
 */
export function boundedFetchJson({ allowLoopback = false } = {}): FetchJson {
  return async (url) => {
    const { protocol, hostname, username, password } = new URL(url);
    const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
    const isAllowed = isLoopback ? allowLoopback : protocol === 'https:';
    if (!isAllowed || username !== '' || password !== '') throw new TypeError('this document URL is not allowed');
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    const bytes = await readBounded(response);
    return { status: response.status, json: parseOrUndefined(bytes) };
  };
}

async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new RangeError('the document is larger than 256 KiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseOrUndefined(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
