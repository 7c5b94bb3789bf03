import { eachClaims, readForAgents } from '../../directory/authorization/find-claims.ts';
import type { PublisherClaims } from '../../directory/authorization/find-claims.ts';
import { nameOf } from '../../directory/authorization/property-index.ts';
import type { NamedProperty } from '../../directory/authorization/property-index.ts';
import { entryOf } from '../../directory/authorization/published-entry.ts';
import type { Store } from '../../platform/store/collection.ts';

/** Of publishers that the registry knows, what is said for an agent: its entries, and those that count against it. */
export function eachOfAgent(
  store: Store,
  agent_url: string,
  domains: readonly string[],
): AsyncGenerator<PublisherClaims, void, undefined> {
  return eachClaims(store, domains, readForAgents(store, [agent_url]));
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

function inlineOf(row: Parameters<typeof entryOf>[0]): readonly NamedProperty[] {
  const { scope } = entryOf(row);
  return scope.kind === 'own' && scope.selection.by === 'inline' ? scope.selection.properties : [];
}
