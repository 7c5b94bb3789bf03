import { canonicalAuthority, canonicalTargetUri } from './wire/target-uri.ts';

/**
 * Where senders call, as they were told: an origin such as `https://buyer.example`, several of which a request's `Host`
 * names one, or a function that gives the whole URL of a request (behind a proxy that rewrites paths), undefined for
 * one that is none of them. A request's word alone is never taken: whoever sends could name any host (rule W12, step 10).
 */
export type PublicUrl = string | readonly string[] | ((request: Request) => string | undefined);

/** Gives the URL that the sender called; undefined when it is none of the receiver's, or its target no path. */
export type UrlOf = (request: Request, requestTarget: string | undefined) => string | undefined;

/** @throws {RangeError} when there is no origin, or one with a path. */
export function publicUrlReader(publicUrl: PublicUrl): UrlOf {
  if (typeof publicUrl === 'function') return publicUrl;
  const origins = [publicUrl].flat().map(originOf);
  const [first, ...others] = origins;
  if (first === undefined) throw new RangeError('publicUrl names no origin');
  return (request, requestTarget = targetOf(request.url)) => {
    // Anything else would go on naming the host: `.example.org/` behind an origin leads to another.
    if (!requestTarget.startsWith('/')) return undefined;
    if (others.length === 0) return first.origin + requestTarget;
    const named = request.headers.get('host') ?? new URL(request.url).host;
    const found = origins.find(({ authority, scheme }) => canonicalAuthority(named, scheme) === authority);
    return found && found.origin + requestTarget;
  };
}

interface Origin {
  origin: string;
  authority: string;
  scheme: string;
}

function originOf(url: unknown): Origin {
  const target = typeof url === 'string' ? canonicalTargetUri(url) : undefined;
  if (target?.path !== '/') {
    throw new RangeError('publicUrl is an origin such as https://buyer.example, without a path; or a list of them');
  }
  const { origin, authority } = target;
  return { origin, authority, scheme: origin.slice(0, origin.indexOf(':')) };
}

/** Path and query of a URL, as they stand in it. */
function targetOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  return start === -1 ? '/' : (url.slice(start).split('#')[0] ?? '/');
}
