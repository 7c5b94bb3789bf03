import { lookup as lookupSystem } from 'node:dns';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { forbiddenRule } from '../../platform/outbound/address-guard.ts';
import { checkUrl } from '../../platform/outbound/url-guard.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 262_144;

/** What a document fetch gives; `json` is undefined when the body is not JSON. */
export interface FetchedJson {
  status: number;
  json: unknown;
}

/**
 * Fetches a JSON document. Everything the kit reads from the network goes through one of these; give your own for
 * proxies or private networks. It may throw: that counts as "not there now".
 */
export type FetchJson = (url: string) => Promise<FetchedJson>;

/** Finds all addresses of a name, as `dns.lookup` does. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface FetchBounds {
  /** Default false. */
  allowLoopback?: boolean;
  /** Default: the system's. */
  lookup?: LookupAll;
}

/**
 * Fetches with bounds, since a `jwks_uri` is the sender's word (rule W16): https only (http to loopback with
 * `allowLoopback`), every address checked as it is connected to, no redirects, 10 s and 256 KiB.
 */
export function boundedFetchJson({ allowLoopback = false, lookup = lookupSystem }: FetchBounds = {}): FetchJson {
  return async (url) => {
    const verdict = checkUrl(url, { allowLoopback });
    if (!verdict.ok) throw new TypeError(`this document cannot be fetched: ${verdict.reason}`);
    const { isLoopbackOnly, isSecure, href } = verdict.target;
    const response = await get(isSecure ? requestHttps : requestHttp, href, {
      lookup: guarded(lookup, isLoopbackOnly),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      agent: false,
    });
    const bytes = await readBounded(response);
    return { status: response.statusCode ?? 0, json: parseOrUndefined(bytes) };
  };
}

function get(request: typeof requestHttps, url: string, options: RequestOptions): Promise<IncomingMessage> {
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
