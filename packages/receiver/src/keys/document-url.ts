/** Where the documents of senders may lie, besides public names. */
export interface DocumentBounds {
  /** Whether this machine may be asked too, by http: for an agent on your own machine. Default false. */
  allowLoopback?: boolean;
}

/** The largest document read, in bytes. */
export const MAX_DOCUMENT_BYTES = 65_536;

/** How long a document may take from connecting to its last byte, in milliseconds. */
export const DOCUMENT_TIMEOUT_MS = 5_000;

const MAX_URL_LENGTH = 8192;
const REWRITTEN_BY_THE_PARSER = /[\u0000-\u0020\u007f\\]/;

/**
 * The URL of a document, which is the sender's word (rule W16): https, to a name and no IP address, without userinfo.
 * With `allowLoopback` also this machine, by either scheme.
 * @throws {TypeError} for any other.
 */
export function documentUrl(text: string, { allowLoopback = false }: DocumentBounds): URL {
  const url = text.length > MAX_URL_LENGTH || REWRITTEN_BY_THE_PARSER.test(text) ? undefined : parsed(text);
  if (url === undefined) throw refused('url is not absolute or not well-formed');
  if (url.username !== '' || url.password !== '') throw refused('url has userinfo');
  if (url.port === '0') throw refused('url port is 0');
  if (isThisMachine(url.hostname)) {
    if (!allowLoopback) throw refused('url means this machine');
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  }
  if (url.protocol !== 'https:') throw refused('url scheme is not https');
  if (isAddress(url.hostname)) throw refused('url has an IP address for a host');
  return url;
}

/** Whether a host, as the WHATWG parser writes it, must mean this machine: loopback, or a name below `localhost`. */
export function isThisMachine(host: string): boolean {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return name === '[::1]' || (isAddress(name) && name.startsWith('127.')) || /^(.+\.)?localhost$/.test(name);
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}\.?$/.test(host);
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function refused(why: string): TypeError {
  return new TypeError(`this document cannot be fetched: ${why}`);
}
