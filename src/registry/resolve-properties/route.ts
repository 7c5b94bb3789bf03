import { authorizations, preferHosted } from '../../directory/authorization/authorization.ts';
import type { Authorization } from '../../directory/authorization/authorization.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../directory/publisher/publisher.ts';
import type { Store } from '../../platform/store/collection.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { endpoint } from '../endpoint.ts';
import { readAll } from '../read-all.ts';
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

  async handle({ body }, { store }) {
    const canonical = new Map(body.domains.map((input) => [input, normalizeDomain(input)?.domain]));
    const wanted = [...new Set(canonical.values())].filter((domain) => domain !== undefined);
    const known = await store.collection(publishers).getMany(wanted);
    const granted = await authorizationsOf(store, known);
    const resolved = new Map(known.map((row) => [row.publisher_domain, resolve(row, granted)]));
    const entries = [...canonical].map(([input, domain]) => [input, (domain && resolved.get(domain)) ?? null]);
    return { body: { results: Object.fromEntries(entries) as ResolveResponse['results'] } };
  },
});

async function authorizationsOf(store: Store, known: readonly RegistryPublisher[]): Promise<Authorization[]> {
  if (known.length === 0) return [];
  const domains = known.map((row) => row.publisher_domain);
  return preferHosted(await readAll(store.collection(authorizations), { publisher_domain: { in: domains } }));
}

function resolve(
  { publisher_domain, source, properties, verified }: RegistryPublisher,
  granted: readonly Authorization[],
) {
  return {
    publisher_domain,
    source,
    authorized_agents: granted
      .filter((row) => row.publisher_domain === publisher_domain)
      .map((row) => ({ url: row.agent_url, authorized_for: row.authorized_for })),
    properties,
    verified,
  };
}
