/** What went wrong between us and the other side, in our own words (rule W11): never text of the other side's. */
export type ConnectionFailure =
  | 'dns name not found'
  | 'dns lookup failed'
  | 'connection refused'
  | 'connection reset'
  | 'connection closed'
  | 'host unreachable'
  | 'tls certificate invalid'
  | 'tls handshake failed'
  | 'response is not valid http'
  | 'response headers too large'
  | 'out of local resources'
  | 'connection failed'
  | ProxyFailure;

/**
 * What went wrong on the way through the operator's proxy: it is not there, does not take our credentials, does not let us go
 * there, or did not get there, whoever's fault that is.
 */
export type ProxyFailure = (typeof PROXY_FAILURES)[number];

const PROXY_FAILURES = [
  'proxy unreachable',
  'proxy refused our credentials',
  'proxy refused the destination',
  'proxy failed',
] as const;

/** What is said of time that ran out before the proxy was connected to. */
export const PROXY_TIMEOUT = 'timed out connecting to the proxy';

/** Whether these words tell that the proxy itself could not be used, for whatever destination. */
export function isOfProxyItself(words: string | undefined): boolean {
  return words === PROXY_TIMEOUT || words === 'proxy unreachable' || words === 'proxy refused our credentials';
}

/** Whether these words tell of our own way out, and nothing sure of the other side. */
export function isOfProxy(words: string | undefined): boolean {
  return words === PROXY_TIMEOUT || PROXY_FAILURES.some((failure) => failure === words);
}

/** The failure that an error of the look-up stands for. */
export function dnsFailure(error: unknown): ConnectionFailure {
  const code = codeOf(error);
  return code === 'ENOTFOUND' || code === 'ENODATA' ? 'dns name not found' : 'dns lookup failed';
}

/** The failure that an error of the TLS handshake stands for. */
export function tlsFailure(error: unknown): ConnectionFailure {
  return CERTIFICATE_CODES.test(codeOf(error)) ? 'tls certificate invalid' : 'tls handshake failed';
}

/** The failure that an error of connecting or of the HTTP exchange stands for. */
export function socketFailure(error: unknown): ConnectionFailure {
  if (!(error instanceof Error)) return 'connection failed';
  if (error.name === 'HTTPParserError' && error.message.includes('Invalid EOF')) return 'connection closed';
  const isNotHttp = error.name === 'HTTPParserError' || UNEXPECTED_MESSAGES.includes(error.message);
  return isNotHttp ? 'response is not valid http' : (FAILURE_BY_CODE[codeOf(error)] ?? 'connection failed');
}

/** Errors of undici for bytes nobody asked for and for an upgrade nobody asked for; their code says no more than "socket". */
const UNEXPECTED_MESSAGES = ['bad response', 'bad upgrade'];

const FAILURE_BY_CODE: Readonly<Partial<Record<string, ConnectionFailure>>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ECONNABORTED: 'connection reset',
  UND_ERR_SOCKET: 'connection closed',
  UND_ERR_DESTROYED: 'connection closed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection closed',
  UND_ERR_HEADERS_OVERFLOW: 'response headers too large',
  ETIMEDOUT: 'host unreachable',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  EHOSTDOWN: 'host unreachable',
  EADDRNOTAVAIL: 'host unreachable',
  EMFILE: 'out of local resources',
  ENFILE: 'out of local resources',
  ENOBUFS: 'out of local resources',
};

const CERTIFICATE_CODES =
  /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_(GET|VERIFY|DECRYPT|DECODE)|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH/;

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
