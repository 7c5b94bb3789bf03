import { entriesOf, findClaims } from '../../directory/authorization/find-claims.ts';
import type { PublisherClaims } from '../../directory/authorization/find-claims.ts';
import { liveOfPublisher } from '../../directory/authorization/live-authorizations.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import { indexOf } from '../../directory/authorization/property-index.ts';
import { normalizeHost, withParents } from '../../directory/domain/normalize-domain.ts';
import { identifierDigest, isDomainType, propertyIdentifiers } from '../../directory/publisher/property-identifier.ts';
import { allPropertiesOf } from '../../directory/publisher/property-list.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryProperty, RegistryPublisher } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';

/** Files that are read for one page. */
const PAGE = 20;
/** Properties told of one file. */
const MOST_OF_ONE = 10;

/** What of a publisher's carries an identifier under one name, and who may sell it. */
interface Holder {
  publisher_domain: string;
  /** Null where a property has none, or a domain is meant that no property names. */
  property_id: string | null;
  properties: RegistryProperty[];
  live: LiveAuthorization[];
}

/** A page of what carries an identifier, by publisher: each is asked of its file as it was last read, never of an index alone. */
export async function holdersOf(
  store: Store,
  { type, value }: { type: string; value: string },
  after: string | undefined,
  atMs: number,
): Promise<{ found: Holder[]; cursor: string | null }> {
  if (isDomainType(type)) return { found: await holdersOfDomain(store, value, atMs), cursor: null };
  const page = await store.collection(propertyIdentifiers).find({
    where: { identifier: identifierDigest(type, value) },
    sort: { field: 'publisher_domain', direction: 'asc' },
    ...{ limit: PAGE, ...(after !== undefined && { after }) },
  });
  const files = await store.collection(publishers).getMany([...new Set(page.rows.map((row) => row.publisher_domain))]);
  const found: Holder[] = [];
  for (const file of files.sort((a, b) => (a.publisher_domain < b.publisher_domain ? -1 : 1))) {
    const carries = (one: RegistryProperty) => one.identifiers.some((id) => id.type === type && id.value === value);
    const properties = (await allPropertiesOf(store, file)).filter(carries).slice(0, MOST_OF_ONE);
    const owners = [...new Set(properties.map((one) => one.publisher_domain ?? file.publisher_domain))];
    for (const claims of (await findClaims(store, owners, (of) => entriesOf(store, of))).values()) {
      if (!speaksFor(file, claims)) continue;
      const theirs = properties.filter(
        (one) => (one.publisher_domain ?? file.publisher_domain) === claims.publisher_domain,
      );
      found.push(...judged(claims, theirs, value, atMs));
    }
    await new Promise(setImmediate);
  }
  return { found, cursor: page.cursor ?? null };
}

async function holdersOfDomain(store: Store, value: string, atMs: number): Promise<Holder[]> {
  const host = normalizeHost(value.replace(/^\*\./, ''));
  if (host === undefined) return [];
  const rows = store.collection(publishers);
  const chain = withParents(host);
  const known = await rows.getField(chain, 'source');
  const domain = chain.find((one) => known.has(one));
  const file = domain === undefined ? undefined : await rows.get(domain);
  if (file === undefined) return [];
  const [claims] = (await findClaims(store, [file.publisher_domain], (of) => entriesOf(store, of))).values();
  if (claims === undefined) return [];
  const isOwn = (one: RegistryProperty) => (one.publisher_domain ?? file.publisher_domain) === file.publisher_domain;
  const own = (await allPropertiesOf(store, file)).filter(isOwn);
  const carrying = new Set<unknown>(indexOf(own).find(value));
  const properties = own.filter((one) => carrying.has(one)).slice(0, MOST_OF_ONE);
  if (properties.length > 0) return judged(claims, properties, value, atMs);
  const live = liveOfPublisher(claims, atMs, value);
  return [{ publisher_domain: file.publisher_domain, property_id: null, properties: [], live }];
}

/** Of another publisher's properties only the file of the manager that it names tells anything. */
function speaksFor(file: RegistryPublisher, { publisher_domain, publisher, claims }: PublisherClaims): boolean {
  if (file.publisher_domain === publisher_domain) return true;
  return publisher?.manager_domain === file.publisher_domain && claims.some(({ is_manager }) => is_manager);
}

/** By name: what has a `property_id` is judged by it, the rest by the identifier. */
function judged(
  claims: PublisherClaims,
  properties: readonly RegistryProperty[],
  value: string,
  atMs: number,
): Holder[] {
  const byName = new Map<string | null, RegistryProperty[]>();
  for (const one of properties) {
    const name = one.property_id ?? null;
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const { publisher_domain } = claims;
  return [...byName].map(([property_id, named]) => ({
    ...{ publisher_domain, property_id, properties: named },
    live: liveOfPublisher(claims, atMs, property_id ?? value),
  }));
}
