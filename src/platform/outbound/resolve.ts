import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';

/** Every address of a name, in the order to try; shaped as `dns.promises.lookup` with `all`. Rejects when there is none. */
export type Resolve = (hostname: string, options: { all: true }) => Promise<readonly LookupAddress[]>;

export interface ResolveOptions {
  /** Name servers, each `address:port`. Default: those of the system. */
  servers?: readonly string[];
  /** The system's look-up. Default: `dns.promises.lookup`. */
  system?: Resolve;
}

/**
 * The usual answer to a name. Asks the name servers itself rather than through `getaddrinfo`, whose few threads a
 * handful of dead zones would keep from everyone else; what they do not know, or when none is there, the system's own
 * look-up (hosts file, search domains) is asked. `localhost` and names below it are this machine (RFC 6761).
 */
export function createResolve({ servers, system = lookup }: ResolveOptions = {}): Resolve {
  return async (hostname) => {
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return LOCALHOST;
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    const failure = [v4, v6].map(codeOf).find((code) => !LEFT_TO_THE_SYSTEM.includes(code));
    if (failure !== undefined) throw Object.assign(new Error(`look-up of ${hostname}: ${failure}`), { code: failure });
    return system(hostname, { all: true });
  };
}

const LEFT_TO_THE_SYSTEM = ['ENODATA', 'ENOTFOUND', 'ECONNREFUSED'];
const QUERY_TIMEOUT_MS = 1500;

const LOCALHOST: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function addressesOf(settled: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return settled.status === 'fulfilled' ? settled.value.map((address) => ({ address, family })) : [];
}

function codeOf(settled: PromiseSettledResult<string[]>): string {
  return settled.status === 'fulfilled' ? 'ENODATA' : String((settled.reason as NodeJS.ErrnoException).code);
}
