import { Resolver } from 'node:dns/promises';

/** What is at a name: each TXT record with its pieces joined, and which other name it is an alias of (CNAME), hop by hop. */
export interface TxtAnswer {
  records: readonly string[];
  aliases: readonly string[];
}

/**
 * The TXT records of a name; none where there are none, or no such name. Of more than {@link MOST_ALIASES} aliases none is read.
 * @throws when no name server answers within some seconds.
 */
export type ResolveTxt = (name: string) => Promise<TxtAnswer>;

/** @param servers name servers, each `address:port`. Default: those of the system. */
export function createResolveTxt({ servers }: { servers?: readonly string[] } = {}): ResolveTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const aliases: string[] = [];
    for (let at = name; aliases.length <= MOST_ALIASES;) {
      const next = (await noneIfAbsent(resolver.resolveCname(at)))[0];
      if (next === undefined) {
        const records = await noneIfAbsent(resolver.resolveTxt(at));
        return { records: records.map((pieces) => pieces.join('')), aliases };
      }
      aliases.push(next);
      at = next;
    }
    return { records: [], aliases };
  };
}

async function noneIfAbsent<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
    throw error;
  }
}

const MOST_ALIASES = 4;
const QUERY_TIMEOUT_MS = 2_500;
