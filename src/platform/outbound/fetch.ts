import { getDomain } from 'tldts';
import { decodedBody, decodedStart } from './content-encoding.ts';
import type { Unusable } from './content-encoding.ts';
import type { OutboundRequest, Send } from './outbound-request.ts';
import type {
  ConnectionErrorResult,
  OutboundResult,
  RefusedResult,
  ResponseResult,
  TimeoutResult,
} from './outbound-result.ts';
import { checkUrl } from './url-guard.ts';
import type { Target, UrlRules } from './url-guard.ts';

export interface FetchOptions {
  /** Of the body, before and after decoding. */
  maxBytes: number;
  /** Of a larger body, answers its beginning and says so (`isCut`), instead of `unusable`. */
  cuts?: true;
  /** Such as `if-none-match`; a 304 is a response like any other. Credentials are dropped when a redirect leaves the origin. */
  headers?: Record<string, string>;
  /** Same-site `https` redirects to follow. Default 0: a 3xx is then a response; beyond the number it is refused. */
  redirects?: number;
  connectTimeoutMs?: number;
  /** Over all redirects together. Default 15,000. */
  totalTimeoutMs?: number;
  signal?: AbortSignal;
  /** Does each request, of redirects too, once its turn has come; what is waited before is not the fetch's time. */
  inTurn?: DoneInTurn;
}

/** Does work that asks a URL when the turn for that has come. */
export type DoneInTurn = <T>(url: string, work: () => Promise<T>) => Promise<T>;

const AT_ONCE: DoneInTurn = (_url, work) => work();

/** A whole document, its content encoding undone. */
export interface Fetched extends Omit<ResponseResult, 'truncated'> {
  /** Where it came from in the end, after redirects. */
  url: string;
  redirects: number;
  /** It was larger than asked for: this is its beginning. Only where `cuts` asks for that. */
  isCut?: true;
}

/** A response whose body is of no use: larger than asked for, or not what it says it is. */
export interface UnusableResult {
  kind: 'unusable';
  reason: Unusable | 'body is not json';
  url: string;
  status: number;
}

type Unfetched = RefusedResult | TimeoutResult | ConnectionErrorResult | UnusableResult;
export type FetchResult = Fetched | Unfetched;
/** `json` holds the parsed body of a 2xx response that has one. */
export type FetchJsonResult = (Fetched & { json?: unknown }) | Unfetched;

export interface Fetch {
  /** GETs a document, whole or not at all. Every redirect passes the URL and address guards. Throws as `send` does. */
  fetchBytes(url: string, options: FetchOptions): Promise<FetchResult>;
  /** As {@link Fetch.fetchBytes}, and parses the body of a 2xx as JSON in UTF-8. */
  fetchJson(url: string, options: FetchOptions): Promise<FetchJsonResult>;
}

/** The document fetcher over a `send`; with the rules of the client that sends. */
export function createFetch(send: Send, rules: UrlRules): Fetch {
  async function fetchBytes(url: string, options: FetchOptions): Promise<FetchResult> {
    const { maxBytes, redirects: mostRedirects = 0, totalTimeoutMs = 15_000, inTurn = AT_ONCE } = options;
    let deadline = performance.now() + totalTimeoutMs;
    let request: OutboundRequest = {
      url,
      method: 'GET',
      headers: { 'accept-encoding': 'identity', ...options.headers },
      maxResponseBytes: maxBytes,
      ...(options.connectTimeoutMs !== undefined && { connectTimeoutMs: options.connectTimeoutMs }),
      ...(options.signal !== undefined && { signal: options.signal }),
    };
    for (let redirects = 0; ; redirects++) {
      const { url: asked } = request;
      const since = performance.now();
      const result = await inTurn(asked, () => {
        deadline += performance.now() - since;
        return sendOnceMore(send, request, deadline);
      });
      if (result.kind !== 'response') return result;
      const location = mostRedirects > 0 && isRedirect(result) ? result.headers['location'] : undefined;
      if (location === undefined) return whole(result, request.url, redirects, options);
      if (redirects >= mostRedirects) return { kind: 'refused', reason: 'too many redirects' };
      const next = redirected(request, location, rules);
      if ('kind' in next) return next;
      request = next;
    }
  }

  async function fetchJson(url: string, options: FetchOptions): Promise<FetchJsonResult> {
    const result = await fetchBytes(url, options);
    if (result.kind !== 'response' || result.status > 299 || result.body.length === 0) return result;
    try {
      return { ...result, json: JSON.parse(UTF_8.decode(result.body)) as unknown };
    } catch {
      return { kind: 'unusable', reason: 'body is not json', url: result.url, status: result.status };
    }
  }

  return { fetchBytes, fetchJson };
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

/** A kept connection may have been closed by the other side just then: a GET may be tried again (RFC 9110, 9.2.2). */
async function sendOnceMore(send: Send, request: OutboundRequest, deadline: number): Promise<OutboundResult> {
  const first = await send({ ...request, totalTimeoutMs: timeLeft(deadline) });
  const isStale = first.kind === 'connection_error' && first.reused && first.status === undefined;
  return isStale ? send({ ...request, totalTimeoutMs: timeLeft(deadline) }) : first;
}

function timeLeft(deadline: number): number {
  return Math.max(1, Math.ceil(deadline - performance.now()));
}

function isRedirect({ status }: ResponseResult): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirected(request: OutboundRequest, location: string, rules: UrlRules): OutboundRequest | RefusedResult {
  const url = URL.canParse(location, request.url) ? new URL(location, request.url).href : location;
  const from = checkUrl(request.url, rules);
  const to = checkUrl(url, rules);
  if (!to.ok) return { kind: 'refused', reason: `redirect: ${to.reason}` };
  if (!from.ok || !isSameSite(from.target, to.target)) return { kind: 'refused', reason: 'redirect leaves the site' };
  const headers = from.target.origin === to.target.origin ? request.headers : withoutCredentials(request.headers);
  return { ...request, url: to.target.href, ...(headers !== undefined && { headers }) };
}

function withoutCredentials(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name.toLowerCase())));
}

const CREDENTIALS = ['authorization', 'cookie'];

async function whole(
  result: ResponseResult,
  url: string,
  redirects: number,
  { maxBytes, cuts }: FetchOptions,
): Promise<FetchResult> {
  const { truncated, ...response } = result;
  if (cuts === true) {
    const start = await decodedStart(result, maxBytes);
    if (!start.ok) return { kind: 'unusable', reason: start.reason, url, status: result.status };
    return { ...response, body: start.body, url, redirects, ...(start.isCut && { isCut: true as const }) };
  }
  const decoded = truncated ? TOO_LARGE : await decodedBody(result, maxBytes);
  if (!decoded.ok) return { kind: 'unusable', reason: decoded.reason, url, status: result.status };
  return { ...response, body: decoded.body, url, redirects };
}

const TOO_LARGE = { ok: false, reason: 'body is too large' } as const;

/**
 * Whether a redirect from one target to the other stays on the site: the same registrable domain by the public-suffix
 * list, private suffixes included (so two tenants of a hosting company are two sites), or the very same host; and never
 * from `https` to `http`.
 */
function isSameSite(from: Target, to: Target): boolean {
  if (from.isSecure && !to.isSecure) return false;
  if (from.host === to.host) return true;
  const site = from.isLiteral ? null : getDomain(from.host, { allowPrivateDomains: true });
  return site !== null && !to.isLiteral && site === getDomain(to.host, { allowPrivateDomains: true });
}
