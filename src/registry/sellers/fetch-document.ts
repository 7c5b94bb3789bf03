import { registrableDomain } from '../../directory/domain/normalize-domain.ts';
import { atMost } from '../../platform/at-most.ts';
import type { AtMost } from '../../platform/at-most.ts';
import { timeLeft, TOO_LATE } from '../probe/ask.ts';
import type { Asking, Out } from '../probe/ask.ts';

/** A document as it was found, or why not. */
export type FoundDocument =
  | { kind: 'body'; body: Buffer; isCut: boolean; url: string; etag: string | null }
  /** It is as it was when it had the ETag that was sent. */
  | { kind: 'same' }
  | { kind: 'missing'; reason: string }
  | { kind: 'failed'; reason: string };

export interface DocumentAsked {
  url: string;
  /** Of a larger one only the beginning is read. */
  maxBytes: number;
  /** Of what is known of it already; null: nothing. */
  etag: string | null;
  accept: string;
}

/** What is larger is fetched anew, a few at once in this process: so the memory they take has a bound. */
const ORDINARY_BYTES = 500_000;
const LARGE_AT_ONCE = 2;
const MAX_REDIRECTS = 4;
const MAX_ETAG = 200;

/**
 * GETs an ads.txt or sellers.json. Redirects are followed as their norms have it: within the site, and once to another, such as of a
 * manager who keeps the file. 404 and 410: there is none.
 * @throws the reason of the signal.
 */
export async function fetchDocument(asking: Asking, asked: DocumentAsked): Promise<FoundDocument> {
  const ordinary = await get(asking, { ...asked, maxBytes: Math.min(ORDINARY_BYTES, asked.maxBytes) });
  if (ordinary.kind !== 'body' || !ordinary.isCut || asked.maxBytes <= ORDINARY_BYTES) return ordinary;
  const since = performance.now();
  return largeDocuments(asking.out)(() =>
    // Waiting for a place is not the other side's time.
    get({ ...asking, deadline: asking.deadline + performance.now() - since }, asked),
  );
}

async function get(asking: Asking, { url: first, maxBytes, etag, accept }: DocumentAsked): Promise<FoundDocument> {
  let url = first;
  let site = siteOf(first);
  for (let redirects = 0; ; redirects++) {
    if (performance.now() >= asking.deadline) return { kind: 'failed', reason: TOO_LATE.reason };
    const result = await asking.out.fetchBytes(url, {
      ...{ maxBytes, cuts: true, totalTimeoutMs: timeLeft(asking) },
      headers: { accept, 'accept-encoding': 'gzip, identity;q=0.5', ...(etag !== null && { 'if-none-match': etag }) },
      ...(asking.signal && { signal: asking.signal }),
    });
    if (result.kind === 'timeout') return { kind: 'failed', reason: TOO_LATE.reason };
    if (result.kind !== 'response') return { kind: 'failed', reason: result.reason };
    const { status, body, headers, isCut = false } = result;
    if (status === 200) return { kind: 'body', body, isCut, url, etag: etagIn(headers) };
    if (status === 304 && etag !== null) return { kind: 'same' };
    if (status === 404 || status === 410) return { kind: 'missing', reason: `answered ${status}` };
    const location = REDIRECTS.has(status) ? headers['location'] : undefined;
    if (location === undefined) return { kind: 'failed', reason: `answered ${status}` };
    const next = URL.parse(location, url);
    if (next === null) return { kind: 'failed', reason: 'redirect: not a url' };
    if (redirects >= MAX_REDIRECTS) return { kind: 'failed', reason: 'too many redirects' };
    if (url.startsWith('https:') && next.protocol !== 'https:')
      return { kind: 'failed', reason: 'redirect from https to http' };
    const to = siteOf(next.href);
    if (to !== site && site !== siteOf(first)) return { kind: 'failed', reason: 'redirect leaves the site twice' };
    site = to;
    url = next.href;
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What belongs to one owner, by the public-suffix list; an address or a local name is its own. */
function siteOf(url: string): string {
  const { host, hostname } = new URL(url);
  return registrableDomain(hostname) ?? host;
}

function etagIn(headers: Record<string, string>): string | null {
  const etag = headers['etag'] ?? '';
  return /^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(etag) && etag.length <= MAX_ETAG ? etag : null;
}

/** The places for large documents, one set to each way out. */
const LARGE = new WeakMap<Out, AtMost>();

function largeDocuments(out: Out): AtMost {
  const known = LARGE.get(out) ?? atMost(LARGE_AT_ONCE);
  LARGE.set(out, known);
  return known;
}
