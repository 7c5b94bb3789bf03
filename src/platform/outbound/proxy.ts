import { isIP, isIPv6 } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { dialFirst } from './dial.ts';
import type { ProxyFailure } from './failure.ts';
import type { Resolve } from './resolve.ts';

/** The egress proxy that the operator names (`OUTBOUND_PROXY`); asked by CONNECT (RFC 9110, 9.3.6). */
export interface Proxy {
  /** Name or address, without IPv6 brackets. */
  host: string;
  port: number;
  /** It is spoken to over TLS. */
  isSecure: boolean;
  /** Of `Proxy-Authorization`; a secret. */
  authorization?: string;
  /** Names are looked up, and their addresses judged, by the proxy (`OUTBOUND_PROXY_RESOLVES`). */
  resolvesNames: boolean;
}

/** That no way led through the proxy, and where it ended. */
export class ProxyError extends Error {
  readonly reason: ProxyFailure;

  constructor(reason: ProxyFailure) {
    super(reason);
    this.reason = reason;
  }
}

export interface TunnelOptions {
  proxy: Proxy;
  /** Hosts to ask for, one after the other, while the proxy cannot reach the one before: addresses, or one name. */
  hosts: readonly string[];
  port: number;
  resolve: Resolve;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  ca: string | undefined;
  signal: AbortSignal;
  /** Called once the proxy is connected to, and its answer is awaited. */
  onProxy: () => void;
}

/**
 * A connection through the proxy to the first of these hosts that it reaches, at most three.
 * @throws {ProxyError} and the signal's reason.
 */
export async function openTunnel(options: TunnelOptions): Promise<{ socket: Socket; host: string }> {
  const { proxy, hosts, port, signal, onProxy } = options;
  let failure = new ProxyError('proxy failed');
  // A proxy without IPv6 is commoner than one without IPv4.
  const inOrder = [...hosts].sort((one, other) => Number(isIPv6(one)) - Number(isIPv6(other)));
  for (const host of inOrder.slice(0, MOST_HOSTS)) {
    const socket = await dialProxy(options);
    onProxy();
    try {
      await ask(socket, `${isIPv6(host) ? `[${host}]` : host}:${port}`, proxy, signal);
      return { socket, host };
    } catch (error) {
      socket.destroy();
      if (!(error instanceof ProxyError) || error.reason !== 'proxy failed') throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Reads `http://user:password@host:port`, or `https:`; undefined for anything else. */
export function readProxy(text: string): Omit<Proxy, 'resolvesNames'> | undefined {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  const isSecure = url.protocol === 'https:';
  const credentials = decoded(`${url.username}:${url.password}`);
  if (credentials === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    isSecure,
    ...(credentials !== ':' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const MOST_HOSTS = 3;

/** The longest head of an answer to CONNECT, in bytes. */
const MAX_HEAD = 16_384;

async function dialProxy({ proxy, resolve, ca, signal }: TunnelOptions): Promise<Socket> {
  const { host, port, isSecure } = proxy;
  try {
    const addresses = isIP(host) === 0 ? (await resolve(host, { all: true })).map(({ address }) => address) : [host];
    if (addresses.length === 0) throw new ProxyError('proxy unreachable');
    const { socket } = await dialFirst(addresses, port, signal);
    return isSecure ? await secured(socket, { host, ca }, signal) : socket;
  } catch {
    signal.throwIfAborted();
    throw new ProxyError('proxy unreachable');
  }
}

function secured(
  socket: Socket,
  { host, ca }: { host: string; ca: string | undefined },
  signal: AbortSignal,
): Promise<Socket> {
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const secure = connectTls({ socket, host, ...servername, ...(ca !== undefined && { ca }), rejectUnauthorized: true });
  return settled(secure, signal, (done) => {
    secure.once('secureConnect', () => {
      done(secure);
    });
  });
}

/** Asks for a tunnel to this authority. What comes behind the head of a good answer is the tunnel's own. */
function ask(socket: Socket, authority: string, proxy: Proxy, signal: AbortSignal): Promise<void> {
  const credentials = proxy.authorization === undefined ? '' : `Proxy-Authorization: ${proxy.authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${credentials}\r\n`);
  let head = Buffer.alloc(0);
  return settled<undefined>(socket, signal, (done, fail) => {
    const onData = (chunk: Buffer): void => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(HEAD_END);
      if (end === -1 && head.length <= MAX_HEAD) return;
      socket.off('data', onData);
      socket.pause();
      const reason = end === -1 ? 'proxy failed' : failureOf(head.toString('latin1', 0, end));
      if (reason !== undefined) {
        fail(new ProxyError(reason));
        return;
      }
      const rest = head.subarray(end + HEAD_END.length);
      if (rest.length > 0) socket.unshift(rest);
      done(undefined);
    };
    socket.on('data', onData);
  });
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** What the head of an answer to CONNECT says; undefined when the tunnel stands. */
function failureOf(head: string): ProxyFailure | undefined {
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |\r|$)/.exec(head)?.[1]);
  if (status >= 200 && status < 300) return undefined;
  if (status === 407) return 'proxy refused our credentials';
  return status >= 400 && status < 500 ? 'proxy refused the destination' : 'proxy failed';
}

/** What `begin` makes of a socket, unless it ends, fails, or is no longer waited for. */
function settled<T>(
  socket: Socket,
  signal: AbortSignal,
  begin: (done: (value: T) => void, fail: (error: Error) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      signal.removeEventListener('abort', abort);
      socket.off('error', broken).off('close', broken);
      // A socket without a listener would throw.
      socket.on('error', () => undefined);
    };
    const fail = (error: Error): void => {
      over();
      socket.destroy();
      reject(error);
    };
    const broken = (): void => {
      fail(new ProxyError('proxy failed'));
    };
    const abort = (): void => {
      fail(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    socket.on('error', broken).on('close', broken);
    if (signal.aborted) abort();
    else
      begin((value) => {
        over();
        resolve(value);
      }, fail);
  });
}
