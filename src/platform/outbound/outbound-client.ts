import { noSecurityLog } from '../security/security-log.ts';
import type { SecurityLog } from '../security/security-log.ts';
import type { AllowedPlaces } from './allowed-places.ts';
import { createConnect } from './connect.ts';
import { Exchange } from './exchange.ts';
import { createFetch } from './fetch.ts';
import type { Fetch } from './fetch.ts';
import type { OutboundRequest, Send } from './outbound-request.ts';
import type { OutboundResult } from './outbound-result.ts';
import { createPool } from './pool.ts';
import type { Proxy } from './proxy.ts';
import type { Pool } from './pool.ts';
import { createResolve } from './resolve.ts';
import type { Resolve } from './resolve.ts';
import { checkUrl } from './url-guard.ts';
import type { Target } from './url-guard.ts';

export interface OutboundOptions {
  /** Permits `http` and `https` to 127.0.0.0/8, ::1 and names that lead only there. */
  allowLoopback: boolean;
  /**
   * Every URL it is given is a setting of the operator's own, such as where the ad server is: any address may be dialed, by plain
   * http too. Never for a URL that somebody else chose.
   */
  trustsUrls?: boolean;
  /** Where else it may go; default: public addresses at the usual ports. */
  places?: AllowedPlaces;
  /** Where refused addresses are put on record; default: nowhere. */
  security?: SecurityLog;
  /** Default: the system's, by {@link createResolve}. */
  resolve?: Resolve;
  /** Where https to public addresses goes through; default: nowhere. */
  proxy?: Proxy | undefined;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  ca?: string;
  /** Connections to one origin open at once; requests beyond it wait, on their own time. Default 64. */
  maxConnectionsPerOrigin?: number;
}

/** The one way out: every request to a URL that somebody else chose goes through one that trusts no URLs (rule W16). */
export interface Outbound extends Fetch {
  send: Send;
  /** Ends all that is under way (its callers get an exception) and closes every connection. */
  close(): Promise<void>;
}

/** An outbound client with its own keep-alive connections; one per process is enough. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { allowLoopback, trustsUrls, places, ca, resolve = createResolve(), maxConnectionsPerOrigin = 64 } = options;
  const { security = noSecurityLog, proxy } = options;
  const connect = createConnect({ allowLoopback, trustsUrls, places, resolve, proxy, ca, security });
  const pools = new Map<string, Pool>();
  const odd = new Set<string>();
  let isClosed = false;

  function poolOf(target: Target): Pool {
    const known = pools.get(target.origin);
    if (known !== undefined) return known;
    const onEmpty = (): void => {
      pools.delete(target.origin);
    };
    const pool = createPool({
      ...{ connect, target, maxConnections: maxConnectionsPerOrigin, onEmpty },
      isOdd: () => odd.has(target.origin),
      onOdd: () => {
        if (odd.size >= MAX_ODD) odd.clear();
        odd.add(target.origin);
      },
    });
    pools.set(target.origin, pool);
    return pool;
  }

  function send(request: OutboundRequest): Promise<OutboundResult> {
    return new Promise((settle, reject) => {
      const { url, method, headers = {}, body = null, signal } = request;
      if (isClosed) throw new Error(CLOSED);
      signal?.throwIfAborted();
      if (Object.keys(headers).some(isHost)) throw new TypeError('the host header follows from the url');
      const verdict = checkUrl(url, { allowLoopback, trustsUrls, places });
      if (!verdict.ok) {
        security.record('address.refused', { reason: verdict.reason });
        settle({ kind: 'refused', reason: verdict.reason });
        return;
      }
      const { connectTimeoutMs = 5_000, totalTimeoutMs = 15_000, maxResponseBytes = 16_384 } = request;
      const exchange = new Exchange(
        {
          path: verdict.target.path,
          method,
          headers,
          body,
          connectTimeoutMs,
          totalTimeoutMs,
          maxResponseBytes,
          signal,
        },
        { resolve: settle, reject },
      );
      poolOf(verdict.target).run(exchange);
    });
  }

  async function close(): Promise<void> {
    isClosed = true;
    await Promise.all([...pools.values()].map((pool) => pool.close(new Error(CLOSED))));
  }

  return { send, ...createFetch(send, { allowLoopback, trustsUrls, places }), close };
}

/** Origins that are remembered for their odd answers. */
const MAX_ODD = 1000;

const CLOSED = 'the outbound client is closed';

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}
