import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { noSecurityLog } from '../security/security-log.ts';
import type { SecurityLog } from '../security/security-log.ts';
import { forbiddenRule } from '#receiver/node/address-guard';
import { allowedPlaces, portRefused } from './allowed-places.ts';
import type { AllowedPlaces } from './allowed-places.ts';
import { dialFirst } from './dial.ts';
import type { Dialed } from './dial.ts';
import { dnsFailure, socketFailure, tlsFailure } from './failure.ts';
import type { ConnectionFailure } from './failure.ts';
import { openTunnel, ProxyError } from './proxy.ts';
import type { Proxy } from './proxy.ts';
import type { Resolve } from './resolve.ts';
import type { Target } from './url-guard.ts';

/** The steps of making a connection, in order; all but `connect` are left out where there is nothing to do. */
export type ConnectPhase = 'dns' | 'proxy' | 'connect' | 'tls';

export type ConnectOutcome =
  /** `address` is absent where only the proxy knows it. */
  | { kind: 'connected'; socket: Socket; address?: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'connection_error'; reason: ConnectionFailure };

export interface ConnectOptions {
  allowLoopback: boolean;
  /** Any address may be connected to. */
  trustsUrls?: boolean | undefined;
  /** Default: public addresses at the usual ports. */
  places?: AllowedPlaces | undefined;
  resolve: Resolve;
  /** Where https to public addresses goes through; default: nowhere. */
  proxy?: Proxy | undefined;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  ca?: string | undefined;
  /** Where refused addresses are put on record; default: nowhere. */
  security?: SecurityLog | undefined;
}

/**
 * Opens a connection to the target after checking every address its name resolves to (rule W16). What is dialed is
 * a checked address, never the name, so no second answer of a name server can lead elsewhere; a proxy is asked for such an
 * address, too, unless it is the one that looks names up. `onPhase` is told of each step as it begins. Never rejects; when `signal`
 * aborts, whatever was opened is closed.
 */
export type Connect = (
  target: Target,
  signal: AbortSignal,
  onPhase: (phase: ConnectPhase) => void,
) => Promise<ConnectOutcome>;

/** The {@link Connect} of these options, with a memory of TLS sessions so that a known host needs a shorter handshake. */
export function createConnect({
  allowLoopback,
  trustsUrls,
  places,
  resolve,
  proxy,
  ca,
  security = noSecurityLog,
}: ConnectOptions): Connect {
  const sessions = new Map<string, Buffer>();

  const remember = (origin: string, session: Buffer): void => {
    sessions.delete(origin);
    sessions.set(origin, session);
    const oldest = sessions.keys().next().value;
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
  };

  return async (target, signal, onPhase) => {
    let failureOf = dnsFailure;
    try {
      const isLeft = isLeftToProxy(target, proxy);
      if (!target.isLiteral && !isLeft) onPhase('dns');
      const addresses = await addressesFor(target, isLeft);
      const refusal = trustsUrls === true ? undefined : refusalOf(addresses, target, { allowLoopback, places, isLeft });
      if (refusal !== undefined) {
        const reason = `${refusal.reason}: ${refusal.address}`;
        security.record('address.refused', { target: target.host, reason });
        return { kind: 'refused', reason: refusal.reason };
      }
      failureOf = socketFailure;
      const dialed = await dial(target, addresses, { isLeft, signal, onPhase });
      const { socket } = dialed;
      const address = 'address' in dialed && { address: dialed.address };
      if (!target.isSecure) return { kind: 'connected', socket, ...address };
      failureOf = tlsFailure;
      onPhase('tls');
      const secure = await secured(socket, target, { ca, session: sessions.get(target.origin) }, signal);
      secure.on('session', (session: Buffer) => {
        remember(target.origin, session);
      });
      return { kind: 'connected', socket: secure, ...address };
    } catch (error) {
      return { kind: 'connection_error', reason: error instanceof ProxyError ? error.reason : failureOf(error) };
    }
  };

  /** Of a name that is left to the proxy, only the operator's own are looked up: those in networks of their own are dialed. */
  async function addressesFor({ host, isLiteral }: Target, isLeft: boolean): Promise<string[]> {
    if (isLiteral) return [host];
    if (!isLeft) return addressesOf(host, resolve);
    return trustsUrls === true ? addressesOf(host, resolve).catch(() => []) : [];
  }

  /** What is public goes through the proxy, if there is one; loopback and the networks that the operator named do not. */
  async function dial(
    { host, port, isSecure }: Target,
    addresses: readonly string[],
    { isLeft, signal, onPhase }: { isLeft: boolean; signal: AbortSignal; onPhase: (phase: ConnectPhase) => void },
  ): Promise<Dialed | { socket: Socket }> {
    const outside = addresses.filter((address) => forbiddenRule(address) === undefined);
    const isInside = outside.length === 0 && !(isLeft && addresses.length === 0);
    if (proxy === undefined || !isSecure || isInside) {
      onPhase('connect');
      return dialFirst(addresses, port, signal);
    }
    onPhase('proxy');
    const onProxy = (): void => {
      onPhase('connect');
    };
    const tunnel = await openTunnel({
      ...{ proxy, port, resolve, ca, signal, onProxy },
      hosts: isLeft ? [host] : outside,
    });
    return isLeft ? { socket: tunnel.socket } : { socket: tunnel.socket, address: tunnel.host };
  }
}

/** Whether only the proxy looks a name up. */
function isLeftToProxy({ isSecure, isLiteral, isThisMachine }: Target, proxy: Proxy | undefined): boolean {
  return proxy?.resolvesNames === true && isSecure && !isLiteral && !isThisMachine;
}

const USUAL_PLACES = allowedPlaces();
const MAX_SESSIONS = 1000;

async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  const answers = await resolve(host, { all: true });
  if (answers.length === 0) throw Object.assign(new Error('no addresses'), { code: 'ENODATA' });
  return answers.map(({ address }) => address);
}

/**
 * One forbidden answer spoils all; loopback, where allowed, only counts when every answer is loopback. Of what the proxy looks up,
 * the port must fit.
 */
function refusalOf(
  addresses: readonly string[],
  target: Target,
  {
    allowLoopback,
    places = USUAL_PLACES,
    isLeft,
  }: Pick<ConnectOptions, 'allowLoopback' | 'places'> & { isLeft: boolean },
): { address: string; reason: string } | undefined {
  if (isLeft)
    return places.isPublicPort(target.port) ? undefined : { address: target.host, reason: portRefused(target.port) };
  if (allowLoopback && addresses.every((address) => forbiddenRule(address) === 'loopback')) return undefined;
  for (const address of addresses) {
    // Plain http is refused below, whatever its port.
    const reason = places.ruleAgainst(address, target.isSecure ? target.port : 443, false);
    if (reason !== undefined) return { address, reason };
  }
  const reason = target.isSecure ? 'name of this machine leads elsewhere' : 'url scheme is not https';
  return target.isLoopbackOnly ? { address: addresses[0] ?? '', reason } : undefined;
}

function secured(
  socket: Socket,
  { host }: Target,
  options: { ca: string | undefined; session: Buffer | undefined },
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ...(options.ca !== undefined && { ca: options.ca }),
      ...(options.session !== undefined && { session: options.session }),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: true,
    });
    const abort = (): void => {
      secure.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    secure.on('error', (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(error);
    });
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      resolve(secure);
    });
  });
}
