import { Resolver } from 'node:dns/promises';

/**
 * The TXT records of a name, each with its pieces joined; none where there are none, or no such name.
 * @throws when no name server answers within some seconds.
 */
export type ResolveTxt = (name: string) => Promise<readonly string[]>;

/** @param servers name servers, each `address:port`. Default: those of the system. */
export function createResolveTxt({ servers }: { servers?: readonly string[] } = {}): ResolveTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    try {
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
      throw error;
    }
  };
}

const QUERY_TIMEOUT_MS = 2_500;
