import type { SeedPublisher } from '../../directory/seed/seed.ts';
import type { RegistryProperty } from '../../directory/publisher/publisher.ts';
import type { Catalog } from '../../sales/catalog.ts';
import type { Property, PropertyIdentifier, PropertyType } from '../../sales/property/property.ts';

/**
 * This house's `adagents.json`, in the public norm's words: its properties, and this agent as authorized to sell them. A
 * publisher's domains point here by `authoritative_location`, or serve the same file.
 */
export function adAgentsDocument({ catalog, baseUrl }: { catalog: Catalog; baseUrl: string }): Record<string, unknown> {
  const { publisher } = catalog;
  const properties = publicPropertiesOf(catalog);
  const property_ids = properties.map(({ property_id }) => property_id);
  return {
    contact: { name: publisher.name.slice(0, MAX_CONTACT), domain: publisher.primary_domain },
    ...(properties.length > 0 && { properties }),
    authorized_agents:
      properties.length === 0
        ? []
        : [{ ...ownAuthorization(catalog, baseUrl), authorization_type: 'property_ids', property_ids }],
  };
}

/** What the registry says of this house's own publishers. @param baseUrl the agent's address, or what stands for it. */
export function ownPublishers(catalog: Catalog, baseUrl: string): SeedPublisher[] {
  const properties = publicPropertiesOf(catalog);
  return catalog.publisher_domains.map((domain) => ({
    publisher_domain: domain,
    source: 'hosted' as const,
    verified: true,
    properties: properties.flatMap(({ publisher_domain, ...property }) =>
      publisher_domain === domain ? [property] : [],
    ),
    authorized_agents: [{ ...ownAuthorization(catalog, baseUrl), source: 'hosted' as const }],
  }));
}

/** The public schema's bounds, in characters. */
const MAX_CONTACT = 255;
const MAX_AUTHORIZED_FOR = 500;

function ownAuthorization({ publisher }: Catalog, url: string): { url: string; authorized_for: string } {
  return { url, authorized_for: `All advertising of ${publisher.name}`.slice(0, MAX_AUTHORIZED_FOR) };
}

/** A newsletter is reached by the site of its publisher; the public norm has no type of its own for it. */
const PUBLIC_TYPE: Readonly<Partial<Record<PropertyType, string>>> = { newsletter: 'website' };

/** What only its own platform knows a property by. */
const PUBLIC_IDENTIFIER: Readonly<Partial<Record<PropertyIdentifier['type'], string>>> = {
  list_id: 'network_id',
  stream_url: 'network_id',
};

type PublicProperty = RegistryProperty & Pick<Property, 'publisher_domain'>;

function publicPropertiesOf({ properties }: Catalog): PublicProperty[] {
  const taken = new Set<string>();
  return [...properties.values()].map(({ property_id, property_type, name, publisher_domain, identifiers, tags }) => ({
    property_id: freeId(publicId(property_id), taken),
    property_type: PUBLIC_TYPE[property_type] ?? property_type,
    name,
    publisher_domain,
    identifiers: identifiers.map(({ type, value }) => ({ type: PUBLIC_IDENTIFIER[type] ?? type, value })),
    tags: [...new Set(tags.map(publicId))],
  }));
}

/** Ids and tags are lower-case letters, digits and `_` there. */
function publicId(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9_]/g, '_');
}

/** Two ids that differ in what the public norm does not have stay two. */
function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let n = 2; taken.has(free); n++) free = `${id}_${n}`;
  taken.add(free);
  return free;
}
