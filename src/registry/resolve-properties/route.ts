import { eachWithClaims, liveOfPublisher } from '../../directory/authorization/live-authorizations.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { allPropertiesOf } from '../../directory/publisher/property-list.ts';
import type { RegistryProperty, RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { endpoint } from '../endpoint.ts';
import { ResolveRequest, ResolveResponse } from './schema.ts';

/** What the registry knows of publisher domains (rules C.resources.resolve, R4). */
export const resolveProperties = endpoint({
  id: 'resolveProperties',
  method: 'post',
  path: '/api/properties/resolve/bulk',
  tag: 'Properties',
  summary: 'Resolve publisher domains to properties and authorized agents',
  access: 'public',
  effect: 'read',
  limit: 'resolve_properties',
  body: ResolveRequest,
  bodyBytes: INPUT_LIMITS.bulkResolveBodyBytes,
  responses: { 200: { description: 'An entry for each domain sent', schema: ResolveResponse } },

  async handle({ body }, { store, clock }) {
    const canonical = new Map(body.domains.map((input) => [input, normalizeDomain(input)?.domain]));
    const wanted = [...new Set(canonical.values())].filter((domain) => domain !== undefined);
    const resolved = new Map<string, NonNullable<ResolveResponse['results'][string]>>();
    for await (const one of eachWithClaims(store, wanted))
      if (one.publisher !== undefined)
        resolved.set(one.publisher_domain, {
          ...resolve(one.publisher, liveOfPublisher(one, clock.now())),
          properties: (await allPropertiesOf(store, one.publisher)).map(shownOf),
        });
    const entries = [...canonical].map(([input, domain]) => [input, (domain && resolved.get(domain)) ?? null]);
    const results = Object.fromEntries(entries) as ResolveResponse['results'];
    // Thousands of properties that the store has judged: a second schema costs as much as to read them.
    return { json: JSON.stringify({ results } satisfies ResolveResponse) };
  },
});

/** By name, and nothing else: a newer release may have stored more. */
function shownOf(property: RegistryProperty) {
  const { property_id, property_type, name, tags, supported_channels, publisher_domain } = property;
  const identifiers = property.identifiers.map(({ type, value }) => ({ type, value }));
  return {
    ...{ property_id, property_type, name, identifiers, tags, supported_channels, publisher_domain },
  } satisfies RegistryProperty;
}

function resolve({ publisher_domain, source, verified }: RegistryPublisher, live: readonly LiveAuthorization[]) {
  const authorized_agents = live.map(({ agent_url: url, publisher_domain: _, ...told }) => ({ url, ...told }));
  return { publisher_domain, source, authorized_agents, verified };
}
