import type { Store } from '../../platform/store/collection.ts';
import { authorizations } from './authorization.ts';
import { entriesOfAgents, exclusiveEntriesOf, findClaims } from './find-claims.ts';
import { liveOfPublisher } from './live-authorizations.ts';
import type { LiveAuthorization } from './live-authorizations.ts';

/** Publishers judged in one go; their rows may be large. */
const AT_ONCE = 25;

/**
 * For whom an agent may sell at a time by publishers' own entries, by domain, a page of entries at a time: a page costs the same however many there are.
 * What a publisher's manager says for it counts against nobody here, and lets nobody in whom the publisher does not name.
 */
export async function liveOfAgentPage(
  store: Store,
  agent_url: string,
  { cursor, limit, atMs }: { cursor?: string | undefined; limit: number; atMs: number },
): Promise<{ live: LiveAuthorization[]; cursor: string | null }> {
  const { rows, cursor: more } = await store.collection(authorizations).find({
    where: { agent_url, publisher_domain: { gt: cursor ?? '' } },
    limit,
  });
  const domains = [...new Set(rows.map((row) => row.publisher_domain))];
  const live: LiveAuthorization[] = [];
  for (let i = 0; i < domains.length; i += AT_ONCE) {
    const found = await findClaims(store, domains.slice(i, i + AT_ONCE), async (of) => {
      const exclusive = await exclusiveEntriesOf(store, of);
      const own = await entriesOfAgents(store, [agent_url], of);
      return [...own, ...exclusive.filter((row) => row.agent_url !== agent_url)];
    });
    for (const one of found.values())
      live.push(...liveOfPublisher(one, atMs).filter((each) => each.agent_url === agent_url));
  }
  return { live, cursor: more === undefined ? null : (domains.at(-1) ?? null) };
}
