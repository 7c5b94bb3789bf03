import { readAtMost } from '../wire/read-at-most.ts';
import { DOCUMENT_TIMEOUT_MS, documentUrl, MAX_DOCUMENT_BYTES } from './document-url.ts';
import type { DocumentBounds } from './document-url.ts';

/** What a document fetch gives; `json` is undefined when the body is not JSON. */
export interface FetchedJson {
  status: number;
  json: unknown;
}

/**
 * Fetches a JSON document. Everything that is read from the network goes through one of these; give your own for
 * proxies or private networks. It may throw: that counts as "not to be had now".
 */
export type FetchJson = (url: string) => Promise<FetchedJson>;

/**
 * Fetches by the platform's own `fetch`, with bounds (rule W16): https only, to no IP address, no redirects, 64 KiB in
 * 5 s. It cannot see which address a name stands for; `guardedFetchJson` of `media-buy-receiver/node` can.
 */
export function boundedFetchJson(bounds: DocumentBounds = {}): FetchJson {
  return async (url) => {
    const response = await fetch(documentUrl(url, bounds), {
      redirect: 'manual',
      signal: AbortSignal.timeout(DOCUMENT_TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    const bytes = await readAtMost(response.body, MAX_DOCUMENT_BYTES);
    if (bytes === undefined) throw tooLarge();
    return { status: response.status, json: parseOrUndefined(bytes) };
  };
}

export function tooLarge(): RangeError {
  return new RangeError('the document is larger than 64 KiB');
}

/** The value of a JSON text in UTF-8; undefined for anything else. */
export function parseOrUndefined(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
