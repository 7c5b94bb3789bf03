const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** What a host may be made of: it is shown to people and stands in a policy for browsers. */
const HOST = /^([a-z\d._-]+|\[[\d:a-f.]+\])$/i;
const MAX_LENGTH = 500;

/**
 * What is wrong with a redirect URI, as "must …"; undefined when nothing is. Allowed: `https`; `http` to this very machine;
 * an application's own scheme that holds a dot (RFC 8252, 7.1).
 */
export function redirectUriProblem(uri: string): string | undefined {
  if (uri.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (!URL.canParse(uri) || /[\s\\]/.test(uri)) return 'must be an absolute URI';
  const { protocol, hostname, username, password } = new URL(uri);
  if (hostname !== '' && !HOST.test(hostname)) return 'must have a host of letters, digits, dots and hyphens';
  if (uri.includes('#')) return 'must have no fragment';
  if (username !== '' || password !== '') return 'must hold no user name or password';
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') return LOOPBACK.has(hostname) ? undefined : 'must be https, or http to a loopback address';
  return /^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:$/.test(protocol)
    ? undefined
    : 'must be https, or a scheme of a domain in reverse such as com.example.app';
}

/**
 * Whether a requested URI is a good one that was registered: the same, character by character, save that a loopback address may come
 * with any port (RFC 8252, 7.3), since a native application takes one that is free.
 */
export function isRegisteredUri(registered: readonly string[], requested: string): boolean {
  if (redirectUriProblem(requested) !== undefined) return false;
  if (registered.includes(requested)) return true;
  const portless = withoutLoopbackPort(requested);
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

/** Of `http` to a loopback address; its host must be written as an address, since `localhost` may be anything. */
function withoutLoopbackPort(uri: string): string | undefined {
  if (redirectUriProblem(uri) !== undefined) return undefined;
  const url = new URL(uri);
  if (url.protocol !== 'http:' || url.hostname === 'localhost') return undefined;
  url.port = '';
  return url.href;
}
