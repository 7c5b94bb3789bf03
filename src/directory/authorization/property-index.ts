import { normalizeDomain, normalizeHost } from '../domain/normalize-domain.ts';

/** What a property of an entry or a file is known by. */
export interface NamedProperty {
  property_id?: string | undefined;
  identifiers: readonly { type: string; value: string }[];
  tags: readonly string[];
  /** By rule R1; absent: the file's own publisher's. */
  publisher_domain?: string | undefined;
}

/** Properties by what they are known by. */
export interface PropertyIndex {
  /** By a `property_id`, or an identifier. A domain stands for its `www.` and `m.`; `*.` for every name below, not for itself. */
  find: (name: string) => readonly NamedProperty[];
  /** One of those that it finds, by its id before any other: at the same price, however many there are. */
  first: (name: string) => NamedProperty | undefined;
  byId: (id: string) => readonly NamedProperty[];
  byTag: (tag: string) => readonly NamedProperty[];
}

const INDEXES = new WeakMap<readonly NamedProperty[], PropertyIndex>();

/** Made once for each list, so that many questions about a large file cost what one does. */
export function indexOf(properties: readonly NamedProperty[]): PropertyIndex {
  const known = INDEXES.get(properties) ?? makeIndex(properties);
  INDEXES.set(properties, known);
  return known;
}

function makeIndex(properties: readonly NamedProperty[]): PropertyIndex {
  const [ids, tags] = [lists(), lists()];
  for (const property of properties) {
    if (property.property_id !== undefined) ids.add(property.property_id, property);
    for (const tag of property.tags) tags.add(tag, property);
  }
  let identifiers: ReturnType<typeof identifiersOf> | undefined;
  return {
    byId: ids.get,
    byTag: tags.get,
    first(name) {
      for (const list of listsOf(name)) if (list[0] !== undefined) return list[0];
      return undefined;
    },
    find(name) {
      const all = [...listsOf(name)].flat();
      return all.length <= 1 ? all : [...new Set(all)];
    },
  };

  function* listsOf(name: string): Generator<readonly NamedProperty[], void, undefined> {
    yield ids.get(name);
    // Normalizing every identifier is the dear part, and only a question about one property needs it.
    const { values, domains, below } = (identifiers ??= identifiersOf(properties));
    yield values.get(name);
    const host = normalizeHost(name);
    if (host === undefined) return;
    yield domains.get(normalizeDomain(host)?.domain ?? host);
    const labels = host.split('.');
    for (let i = 1; i < labels.length; i++) yield below.get(labels.slice(i).join('.'));
  }
}

/** By what a property is asked for: its `property_id`, else the first of its identifiers. */
export function nameOf({ property_id, identifiers }: NamedProperty): string | undefined {
  return property_id ?? identifiers[0]?.value;
}

/** A file's properties by whose they are by its own words. */
interface Parts {
  /** Of nobody: its own publisher's. */
  unnamed: readonly NamedProperty[];
  named: ReadonlyMap<string, readonly NamedProperty[]>;
  /** What is the own publisher's, where it is named, too. */
  own: Map<string, readonly NamedProperty[]>;
}

const PARTS = new WeakMap<readonly NamedProperty[], Parts>();
const NONE: readonly NamedProperty[] = [];

/** Those of a file's properties that are a publisher's. The file is gone through once, however many publishers it speaks for. */
export function propertiesFor(
  publisherDomain: string,
  { properties, is_manager }: { properties: readonly NamedProperty[]; is_manager: boolean },
): readonly NamedProperty[] {
  const parts = PARTS.get(properties) ?? partsOf(properties);
  PARTS.set(properties, parts);
  const named = parts.named.get(publisherDomain);
  if (is_manager) return named ?? NONE;
  if (named === undefined) return parts.unnamed;
  const own = parts.own.get(publisherDomain) ?? [...parts.unnamed, ...named];
  parts.own.set(publisherDomain, own);
  return own;
}

function partsOf(properties: readonly NamedProperty[]): Parts {
  const unnamed = properties.filter((one) => one.publisher_domain === undefined);
  const named = new Map<string, NamedProperty[]>();
  for (const one of properties) {
    if (one.publisher_domain === undefined) continue;
    const list = named.get(one.publisher_domain);
    if (list === undefined) named.set(one.publisher_domain, [one]);
    else list.push(one);
  }
  return { unnamed: named.size === 0 ? properties : unnamed, named, own: new Map() };
}

function identifiersOf(properties: readonly NamedProperty[]) {
  const [values, domains, below] = [lists(), lists(), lists()];
  for (const property of properties)
    for (const { type, value } of property.identifiers) {
      values.add(value, property);
      if (type !== 'domain' && type !== 'subdomain') continue;
      if (value.startsWith('*.')) below.add(value.slice(2).toLowerCase(), property);
      else domains.add(normalizeDomain(value)?.domain ?? value, property);
    }
  return { values, domains, below };
}

function lists() {
  const held = new Map<string, NamedProperty[]>();
  return {
    get: (key: string): readonly NamedProperty[] => held.get(key) ?? [],
    add(key: string, property: NamedProperty): void {
      const list = held.get(key);
      if (list === undefined) held.set(key, [property]);
      else list.push(property);
    },
  };
}
