import type { Agent } from '../agent/agent.ts';
import { authorizations } from '../authorization/authorization.ts';
import { entryOf } from '../authorization/published-entry.ts';
import { normalizeDomain, withParents } from '../domain/normalize-domain.ts';
import { firstPropertiesOf } from '../publisher/property-list.ts';
import type { RegistryPublisher } from '../publisher/publisher.ts';
import { isDomainType } from '../publisher/property-identifier.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { Findable } from './keep-entry.ts';
import { searchTerms } from './search-terms.ts';

/** Properties of one publisher that are looked at, and entries of its file. */
const MOST_PROPERTIES = 500;
const MOST_ENTRIES = 200;
/** Identifiers that are looked at. */
const MOST_IDENTIFIERS = 200;

/** What an agent is found by: what it was registered with, and what it declared when it was last checked. */
export function findableAgent({ url, name, type, visibility, declared }: Agent): Findable {
  if (visibility === 'private') return { list: null, terms: [] };
  const host = URL.parse(url)?.hostname ?? '';
  const terms = searchTerms([name, host, declared?.description ?? ''], {
    ...{ role: [type], domain: withParents(host), verified: [String(declared?.is_verified === true)] },
    ...{ channel: declared?.channels ?? [], country: declared?.countries ?? [] },
  });
  return { list: `agent.${visibility}`, terms };
}

/** What a publisher is found by: its first properties, and the first entries of its file. */
export async function findablePublisher(store: Store, row: RegistryPublisher): Promise<Findable> {
  const { publisher_domain, source, verified } = row;
  const properties = await firstPropertiesOf(store, row, MOST_PROPERTIES);
  const { rows: entries } = await store
    .collection(authorizations)
    .find({ where: { publisher_domain }, limit: MOST_ENTRIES });
  const identifiers = properties.flatMap((property) => property.identifiers.filter(({ type }) => isDomainType(type)));
  const named = identifiers.slice(0, MOST_IDENTIFIERS).flatMap(({ value }) => normalizeDomain(value)?.domain ?? []);
  const terms = searchTerms([publisher_domain, ...properties.map(({ name }) => name)], {
    domain: [publisher_domain, ...named],
    verified: [String(source === 'adagents_json' && verified)],
    channel: properties.flatMap(({ supported_channels = [] }) => supported_channels),
    country: entries.flatMap((entry) => entryOf(entry).countries ?? []),
    property_type: properties.map(({ property_type }) => property_type),
    tag: properties.flatMap(({ tags }) => tags),
  });
  return { list: 'publisher', terms };
}
