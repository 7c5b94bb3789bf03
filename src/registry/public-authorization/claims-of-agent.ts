import { entriesOfAgents, exclusiveEntriesOf, findClaims } from '../../directory/authorization/find-claims.ts';
import type { PublisherClaims } from '../../directory/authorization/find-claims.ts';
import type { NamedProperty } from '../../directory/authorization/property-index.ts';
import { entryOf } from '../../directory/authorization/published-entry.ts';
import type { Store } from '../../platform/store/collection.ts';

/** Publishers whose files are in memory at once. */
const AT_ONCE = 20;

/** Of publishers that the registry knows, what is said for an agent: its entries, and those that count against it. */
export async function* eachOfAgent(
  store: Store,
  agent_url: string,
  domains: readonly string[],
): AsyncGenerator<PublisherClaims, void, undefined> {
  for (let i = 0; i < domains.length; i += AT_ONCE) {
    const some = domains.slice(i, i + AT_ONCE);
    const found = await findClaims(store, some, async (of) => {
      const exclusive = await exclusiveEntriesOf(store, of);
      const theirs = await entriesOfAgents(store, [agent_url], of);
      return [...theirs, ...exclusive.filter((row) => row.agent_url !== agent_url)];
    });
    yield* found.values();
  }
}

/** A property that somebody who speaks for its publisher names; what an entry names inline has neither name nor type here. */
export interface ClaimedProperty extends NamedProperty {
  property_type?: string;
  name?: string;
}

/** The properties of a publisher by its own file, its manager's, and the agent's entries, each once. */
export function claimedProperties({ publisher_domain, claims }: PublisherClaims, agent_url: string): ClaimedProperty[] {
  const known = new Map<string, ClaimedProperty>();
  for (const { properties, is_manager, rows } of claims) {
    const inline = rows.flatMap((row) => (row.agent_url === agent_url ? inlineOf(row) : []));
    for (const one of [...properties, ...inline]) {
      const isTheirs = one.publisher_domain === undefined ? !is_manager : one.publisher_domain === publisher_domain;
      const key = nameOf(one);
      if (isTheirs && key !== undefined && !known.has(key)) known.set(key, one);
    }
  }
  return [...known.values()];
}

/** By what a property is asked for: its `property_id`, else the first of its identifiers. */
export function nameOf({ property_id, identifiers }: NamedProperty): string | undefined {
  return property_id ?? identifiers[0]?.value;
}

function inlineOf(row: Parameters<typeof entryOf>[0]): readonly NamedProperty[] {
  const { scope } = entryOf(row);
  return scope.kind === 'own' && scope.selection.by === 'inline' ? scope.selection.properties : [];
}
