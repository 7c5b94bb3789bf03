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
  return { find, byId: ids.get, byTag: tags.get };

  function find(name: string): readonly NamedProperty[] {
    // Normalizing every identifier is the dear part, and only a question about one property needs it.
    const { values, domains, below } = (identifiers ??= identifiersOf(properties));
    const found = new Set([...ids.get(name), ...values.get(name)]);
    const host = normalizeHost(name);
    if (host === undefined) return [...found];
    for (const one of domains.get(normalizeDomain(host)?.domain ?? host)) found.add(one);
    const labels = host.split('.');
    for (let i = 1; i < labels.length; i++) for (const one of below.get(labels.slice(i).join('.'))) found.add(one);
    return [...found];
  }
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
