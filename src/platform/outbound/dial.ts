import { connect, isIPv6 } from 'node:net';
import type { Socket } from 'node:net';

/** A TCP connection and the address it leads to. */
export interface Dialed {
  socket: Socket;
  address: string;
}

/**
 * Connects to the first of these IP addresses that answers: each has 250 ms before the next is tried beside it, families
 * take turns (RFC 8305), at most six are tried. Rejects with the last error when none answers, or when `signal` aborts.
 */
export function dialFirst(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Dialed> {
  return new Promise((resolve, reject) => {
    const candidates = alternateFamilies(addresses).slice(0, MAX_CANDIDATES);
    const racing = new Set<Socket>();
    let next = 0;
    let headStart: NodeJS.Timeout | undefined;

    const stop = (): void => {
      clearTimeout(headStart);
      signal.removeEventListener('abort', abort);
      next = candidates.length;
      for (const socket of racing) socket.destroy();
      racing.clear();
    };
    const abort = (): void => {
      stop();
      reject(signal.reason as Error);
    };
    const tryNext = (): void => {
      clearTimeout(headStart);
      const address = candidates[next++];
      if (address === undefined) return;
      const socket = connect({ host: address, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 });
      racing.add(socket);
      socket.once('connect', () => {
        racing.delete(socket);
        stop();
        resolve({ socket, address });
      });
      socket.on('error', (error) => {
        if (!racing.delete(socket)) return;
        if (next < candidates.length) tryNext();
        else if (racing.size === 0) {
          stop();
          reject(error);
        }
      });
      if (next < candidates.length) headStart = setTimeout(tryNext, HEAD_START_MS);
    };

    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    signal.addEventListener('abort', abort, { once: true });
    tryNext();
  });
}

const HEAD_START_MS = 250;
const MAX_CANDIDATES = 6;

function alternateFamilies(addresses: readonly string[]): string[] {
  const first = addresses.filter((address) => isIPv6(address) === isIPv6(addresses[0] ?? ''));
  const second = addresses.filter((address) => !first.includes(address));
  return Array.from({ length: Math.max(first.length, second.length) }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((address) => address !== undefined);
}
