/** A URL in the one form that both ends sign (rule W14). */
export interface TargetUri {
  /** The value of `@target-uri`. */
  uri: string;
  /** The value of `@authority`: host, and port unless it is the scheme's default. */
  authority: string;
  /** Scheme and authority. */
  origin: string;
  /**
   * Path and query. A request sent with exactly this request target arrives as what was signed; clients that parse the
   * URL again may change it (WHATWG URL drops an empty query and escapes `'`).
   */
  path: string;
}

const URI_PARTS = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(?:#.*)?$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };
const MAX_URL_LENGTH = 8192;

/**
 * The canonical target URI: scheme and host lower case, IDN to A-labels, userinfo, default port, one dot at the host's end
 * and fragment dropped, percent-escapes in the path upper case with unreserved characters decoded, dot segments removed, empty path `/`,
 * query byte for byte (rule W14). Applying it twice changes nothing more.
 *
 * Undefined for what cannot be signed: a scheme other than http and https, no host or one with an empty label, an IPv6 address
 * without brackets or with a zone, a broken percent-escape in the path, or a space, backslash, control or non-ASCII character after the
 * authority.
 */
export function canonicalTargetUri(url: string): TargetUri | undefined {
  if (url.length > MAX_URL_LENGTH) return undefined;
  const parts = URI_PARTS.exec(url);
  if (parts === null) return undefined;
  const [, rawScheme = '', rawAuthority = '', rawPath = '', query = ''] = parts;
  const scheme = rawScheme.toLowerCase();
  const authority = canonicalAuthority(rawAuthority, scheme);
  const path = canonicalPath(rawPath);
  if (authority === undefined || path === undefined || !isVisibleAscii(query)) return undefined;
  const origin = `${scheme}://${authority}`;
  return { uri: origin + path + query, authority, origin, path: path + query };
}

/** The canonical `@authority` of `[userinfo@]host[:port]` under a scheme; undefined when it is malformed. */
export function canonicalAuthority(rawAuthority: string, scheme: string): string | undefined {
  const defaultPort = DEFAULT_PORTS[scheme];
  if (defaultPort === undefined || /[\s\\]/.test(rawAuthority)) return undefined;
  const hostAndPort = rawAuthority.slice(rawAuthority.lastIndexOf('@') + 1);
  const parts = /^(\[[^\]]*\]|[^:[\]]+)(?::([0-9]{0,5}))?$/.exec(hostAndPort);
  if (parts?.[1] === undefined) return undefined;
  const host = canonicalHost(parts[1]);
  if (host === undefined) return undefined;
  const port = (parts[2] ?? '').replace(/^0+(?=[0-9])/, '');
  if (Number(port) > 65_535) return undefined;
  return port === '' || port === defaultPort ? host : `${host}:${port}`;
}

function canonicalHost(host: string): string | undefined {
  if (host.includes('%')) return undefined;
  const parsed = parsedHost(host);
  // Of an IPv6 address the spelling is signed, so it stays as it is.
  if (parsed === undefined || host.startsWith('[')) return parsed && host.toLowerCase();
  // The dot of the root says nothing in a URL; any other empty label names no host.
  const name = parsed.replace(/\.$/, '');
  return name.split('.').includes('') ? undefined : name;
}

/** The host in A-labels, as the WHATWG parser writes it; undefined for what it refuses. */
function parsedHost(host: string): string | undefined {
  try {
    return new URL(`ws://${host}/`).hostname;
  } catch {
    return undefined;
  }
}

function canonicalPath(path: string): string | undefined {
  if (!isVisibleAscii(path) || /%(?![0-9A-Fa-f]{2})/.test(path)) return undefined;
  const escaped = path.replace(/%[0-9A-Fa-f]{2}/g, (escape) => {
    const char = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(char) ? char : escape.toUpperCase();
  });
  return withoutDotSegments(escaped);
}

/** RFC 3986 section 5.2.4 for an absolute path; consecutive slashes stay. */
function withoutDotSegments(path: string): string {
  if (!path.includes('/.')) return path === '' ? '/' : path;
  const segments = path.split('/').slice(1);
  const kept: string[] = [];
  segments.forEach((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === '..') kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (isLast) kept.push('');
  });
  return `/${kept.join('/')}`;
}

function isVisibleAscii(text: string): boolean {
  return /^[!-[\]-~]*$/.test(text);
}
