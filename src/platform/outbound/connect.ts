import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TLSSocket } from 'node:tls';
import { noSecurityLog } from '../security/security-log.ts';
import type { SecurityLog } from '../security/security-log.ts';
import { forbiddenRule } from '#receiver/node/address-guard';
import { dialFirst } from './dial.ts';
import { dnsFailure, socketFailure, tlsFailure } from './failure.ts';
import type { ConnectionFailure } from './failure.ts';
import type { Resolve } from './resolve.ts';
import type { Target } from './url-guard.ts';

/** The steps of making a connection, in order; `dns` and `tls` are left out where there is nothing to do. */
export type ConnectPhase = 'dns' | 'connect' | 'tls';

export type ConnectOutcome =
  | { kind: 'connected'; socket: Socket; address: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'connection_error'; reason: ConnectionFailure };

export interface ConnectOptions {
  allowLoopback: boolean;
  /** Any address may be connected to. */
  trustsUrls?: boolean | undefined;
  resolve: Resolve;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  ca?: string | undefined;
  /** Where refused addresses are put on record; default: nowhere. */
  security?: SecurityLog | undefined;
}

/**
 * Opens a connection to the target after checking every address its name resolves to (rule W16). What is dialed is
 * a checked address, never the name, so no second answer of a name server can lead elsewhere. `onPhase` is told of each
 * step as it begins. Never rejects; when `signal` aborts, whatever was opened is closed.
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
  resolve,
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
      if (!target.isLiteral) onPhase('dns');
      const addresses = target.isLiteral ? [target.host] : await addressesOf(target.host, resolve);
      const refusal = trustsUrls === true ? undefined : refusalOf(addresses, target, allowLoopback);
      if (refusal !== undefined) {
        const reason = `${refusal.reason}: ${refusal.address}`;
        security.record('address.refused', { target: target.host, reason });
        return { kind: 'refused', reason: refusal.reason };
      }
      failureOf = socketFailure;
      onPhase('connect');
      const { socket, address } = await dialFirst(addresses, target.port, signal);
      if (!target.isSecure) return { kind: 'connected', socket, address };
      failureOf = tlsFailure;
      onPhase('tls');
      const secure = await secured(socket, target, { ca, session: sessions.get(target.origin) }, signal);
      secure.on('session', (session: Buffer) => {
        remember(target.origin, session);
      });
      return { kind: 'connected', socket: secure, address };
    } catch (error) {
      return { kind: 'connection_error', reason: failureOf(error) };
    }
  };
}

const MAX_SESSIONS = 1000;

async function addressesOf(host: string, resolve: Resolve): Promise<string[]> {
  const answers = await resolve(host, { all: true });
  if (answers.length === 0) throw Object.assign(new Error('no addresses'), { code: 'ENODATA' });
  return answers.map(({ address }) => address);
}

/** One forbidden answer spoils all; loopback, where allowed, only counts when every answer is loopback. */
function refusalOf(
  addresses: readonly string[],
  target: Target,
  allowLoopback: boolean,
): { address: string; reason: string } | undefined {
  const found = addresses.map((address) => ({ address, rule: forbiddenRule(address) }));
  if (allowLoopback && found.every(({ rule }) => rule === 'loopback')) return undefined;
  const bad = found.find(({ rule }) => rule !== undefined);
  if (bad !== undefined) return { address: bad.address, reason: `${bad.rule ?? ''} address` };
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
