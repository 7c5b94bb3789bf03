import type { Core } from './compose.ts';

/**
 * This house's `adagents.json`: its properties, and this agent as authorized to sell them. A publisher's domains point here
 * by `authoritative_location`, or serve the same file.
 */
export function adAgentsDocument({ catalog, baseUrl }: Pick<Core, 'catalog' | 'baseUrl'>): Record<string, unknown> {
  const properties = [...catalog.properties.values()];
  return {
    contact: { name: catalog.publisher.name, domain: catalog.publisher.primary_domain },
    properties: properties.map(({ property_id, property_type, name, publisher_domain, identifiers, tags }) => ({
      ...{ property_id, property_type, name, publisher_domain, identifiers, tags },
    })),
    authorized_agents: [
      {
        url: baseUrl,
        authorized_for: `All advertising of ${catalog.publisher.name}`,
        authorization_type: 'property_ids',
        property_ids: properties.map((property) => property.property_id),
      },
    ],
  };
}
