import { claimsOf } from '../../directory/authorization/find-claims.ts';
import type { PublisherClaims } from '../../directory/authorization/find-claims.ts';
import { eachWithClaims, liveOfPublisher } from '../../directory/authorization/live-authorizations.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import { indexOf } from '../../directory/authorization/property-index.ts';
import { normalizeHost, withParents } from '../../directory/domain/normalize-domain.ts';
import { identifierDigest, isDomainType, propertyIdentifiers } from '../../directory/publisher/property-identifier.ts';
import { allPropertiesOf, propertiesCount, propertiesLength } from '../../directory/publisher/property-list.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryProperty, RegistryPublisher } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';

/** Files that are read for one page, one after the other, and properties that they have together, as two files may have; one file in any case. */
const PAGE = 20;
const MOST_READ = { properties: 40_000, length: 8_000_000 } as const;
/** Of one file, properties and agents that are told; of one property, identifiers. */
const MOST_OF_ONE = { properties: 10, agents: 200, identifiers: 20 } as const;

/** What of a publisher's carries an identifier under one name, and who may sell it. */
interface Holder {
  publisher_domain: string;
  /** Null where a property has none, or a domain is meant that no property names. */
  property_id: string | null;
  properties: RegistryProperty[];
  /** Whose file, or entry here, names them. */
  file: RegistryPublisher;
  live: LiveAuthorization[];
  /** There are more of something than is told. */
  isCut: boolean;
}

/** A page of what carries an identifier, by publisher: each is asked of its file as it was last read, never of an index alone. */
export async function holdersOf(
  store: Store,
  { type, value }: { type: string; value: string },
  after: string | undefined,
  atMs: number,
): Promise<{ found: Holder[]; cursor: string | null }> {
  if (isDomainType(type)) return { found: await holdersOfDomain(store, { type, value }, atMs), cursor: null };
  const hints = (limit: number) =>
    store.collection(propertyIdentifiers).find({
      where: { identifier: identifierDigest(type, value) },
      sort: { field: 'publisher_domain', direction: 'asc' },
      ...{ limit, ...(after !== undefined && { after }) },
    });
  const page = await hints(PAGE);
  const files = await store.collection(publishers).getMany([...new Set(page.rows.map((row) => row.publisher_domain))]);
  const found: Holder[] = [];
  const read = { files: 0, properties: 0, length: 0 };
  for (const file of files.sort((a, b) => (a.publisher_domain < b.publisher_domain ? -1 : 1))) {
    read.properties += propertiesCount(file);
    read.length += propertiesLength(file);
    if (read.files > 0 && (read.properties > MOST_READ.properties || read.length > MOST_READ.length)) {
      const before = page.rows.findIndex((row) => row.publisher_domain === file.publisher_domain);
      return { found, cursor: (await hints(before)).cursor ?? null };
    }
    read.files++;
    const carries = (one: RegistryProperty) => one.identifiers.some((id) => id.type === type && id.value === value);
    const carrying = (await allPropertiesOf(store, file)).filter(carries);
    const properties = carrying.slice(0, MOST_OF_ONE.properties);
    const owners = [...new Set(properties.map((one) => one.publisher_domain ?? file.publisher_domain))];
    for await (const claims of eachWithClaims(store, owners)) {
      if (!speaksFor(file, claims)) continue;
      const theirs = properties.filter(
        (one) => (one.publisher_domain ?? file.publisher_domain) === claims.publisher_domain,
      );
      const isCut = carrying.length > properties.length;
      found.push(...judged(file, claims, theirs, { type, value, atMs, isCut }));
    }
    await new Promise(setImmediate);
  }
  return { found, cursor: page.cursor ?? null };
}

async function holdersOfDomain(
  store: Store,
  { type, value }: { type: string; value: string },
  atMs: number,
): Promise<Holder[]> {
  const host = normalizeHost(value.replace(/^\*\./, ''));
  if (host === undefined) return [];
  const rows = store.collection(publishers);
  const chain = withParents(host);
  const known = await rows.getField(chain, 'source');
  const domain = chain.find((one) => known.has(one));
  const file = domain === undefined ? undefined : await rows.get(domain);
  if (file === undefined) return [];
  const claims = await claimsOf(store, file.publisher_domain);
  if (claims === undefined) return [];
  const isOwn = (one: RegistryProperty) => (one.publisher_domain ?? file.publisher_domain) === file.publisher_domain;
  const own = (await allPropertiesOf(store, file)).filter(isOwn);
  const carrying = new Set<unknown>(indexOf(own).find(value));
  const all = own.filter((one) => carrying.has(one));
  const properties = all.slice(0, MOST_OF_ONE.properties);
  const isCut = all.length > properties.length;
  if (properties.length > 0) return judged(file, claims, properties, { type, value, atMs, isCut });
  const live = liveOfPublisher(claims, atMs, value);
  const told = live.slice(0, MOST_OF_ONE.agents);
  const { publisher_domain } = file;
  const isShort = live.length === told.length;
  return [{ publisher_domain, property_id: null, properties: [], file, live: told, isCut: !isShort }];
}

/** Of another publisher's properties only the file of the manager that it names tells anything. */
function speaksFor(file: RegistryPublisher, { publisher_domain, publisher, claims }: PublisherClaims): boolean {
  if (file.publisher_domain === publisher_domain) return true;
  return publisher?.manager_domain === file.publisher_domain && claims.some(({ is_manager }) => is_manager);
}

/** By name: what has a `property_id` is judged by it, the rest by the identifier. */
function judged(
  file: RegistryPublisher,
  claims: PublisherClaims,
  properties: readonly RegistryProperty[],
  { type, value, atMs, isCut }: { type: string; value: string; atMs: number; isCut: boolean },
): Holder[] {
  const byName = new Map<string | null, RegistryProperty[]>();
  for (const one of properties) {
    const name = one.property_id ?? null;
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const { publisher_domain } = claims;
  let agentsLeft: number = MOST_OF_ONE.agents;
  return [...byName].map(([property_id, named]) => {
    const live = liveOfPublisher(claims, atMs, property_id ?? value);
    const told = live.slice(0, agentsLeft);
    agentsLeft -= told.length;
    const isShort = named.every(({ identifiers }) => identifiers.length <= MOST_OF_ONE.identifiers);
    return {
      ...{ publisher_domain, property_id, file, live: told },
      properties: named.map((one) => shortened(one, { type, value })),
      isCut: isCut || !isShort || told.length < live.length,
    };
  });
}

/** With the first of its identifiers, the one that was asked for before all others where there are more. */
function shortened(property: RegistryProperty, asked: { type: string; value: string }): RegistryProperty {
  const { identifiers } = property;
  if (identifiers.length <= MOST_OF_ONE.identifiers) return property;
  const isAsked = (one: { type: string; value: string }) => one.type === asked.type && one.value === asked.value;
  const first = [...identifiers.filter(isAsked).slice(0, 1), ...identifiers.filter((one) => !isAsked(one))];
  return { ...property, identifiers: first.slice(0, MOST_OF_ONE.identifiers) };
}
