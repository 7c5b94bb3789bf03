import { lookup as lookupSystem } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { DOCUMENT_TIMEOUT_MS, documentUrl, isThisMachine, MAX_DOCUMENT_BYTES } from '../keys/document-url.ts';
import type { DocumentBounds } from '../keys/document-url.ts';
import { parseOrUndefined, tooLarge } from '../keys/fetch-json.ts';
import type { FetchJson } from '../keys/fetch-json.ts';
import { forbiddenRule } from './address-guard.ts';

/** Finds all addresses of a name, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface GuardedFetchOptions extends DocumentBounds {
  /** Default: the system's. */
  lookup?: LookupAll;
}

/**
 * Fetches as `boundedFetchJson` does, and besides checks every address as it is connected to (rule W16), since a
 * `jwks_uri` is the sender's word and a name may stand for an address inside your network.
 */
export function guardedFetchJson({ lookup = lookupSystem, ...bounds }: GuardedFetchOptions = {}): FetchJson {
  return async (text) => {
    const url = documentUrl(text, bounds);
    const isSecure = url.protocol === 'https:';
    const response = await get(isSecure ? requestHttps : requestHttp, url, {
      lookup: guarded(lookup, !isSecure || isThisMachine(url.hostname)),
      signal: AbortSignal.timeout(DOCUMENT_TIMEOUT_MS),
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      agent: false,
    });
    return { status: response.statusCode ?? 0, json: parseOrUndefined(await readBounded(response)) };
  };
}

function get(request: typeof requestHttps, url: URL, options: RequestOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end();
  });
}

/** Refuses a name when any of its addresses is forbidden; one that must mean this machine, when any is not loopback. */
function guarded(lookup: LookupAll, isLoopbackOnly: boolean): NonNullable<RequestOptions['lookup']> {
  const isAllowed = ({ address }: LookupAddress) =>
    forbiddenRule(address) === (isLoopbackOnly ? 'loopback' : undefined);
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = error === null ? addresses : [];
      if (first === undefined || !addresses.every(isAllowed)) {
        callback(error ?? new Error('an address of this name is refused'), []);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

async function readBounded(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_DOCUMENT_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
