import { eachWithClaims, liveOfPublisherWithin } from '../../directory/authorization/live-authorizations.ts';
import type { LiveAuthorization } from '../../directory/authorization/live-authorizations.ts';
import { normalizeDomain } from '../../directory/domain/normalize-domain.ts';
import { allPropertiesOf } from '../../directory/publisher/property-list.ts';
import { seenAt } from '../../directory/publisher/publisher.ts';
import type { RegistryProperty, RegistryPublisher } from '../../directory/publisher/publisher.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { MadeOfSeveral } from '../../platform/store/kept-answers.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { endpoint } from '../endpoint.ts';
import { ResolveRequest, ResolveResponse } from './schema.ts';

/** Of one answer, in characters: one publisher has at most a few million of them, and a hundred names may all be its own. */
const MOST_ANSWERED = 16_000_000;

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

  async handle({ body }, { clock, kept }) {
    const canonical = new Map(body.domains.map((input) => [input, normalizeDomain(input)?.domain]));
    const asked = new Map<string, number>();
    for (const domain of canonical.values()) if (domain !== undefined) asked.set(domain, (asked.get(domain) ?? 0) + 1);
    const resolved = new Map<string, string>();
    let length = 0;
    const now = clock.now();
    const names = [...asked.keys()].map((domain) => NAMED + domain);
    for await (const { name, text } of kept.several(names, now, (noted, some) => resolveEach(noted, some, now))) {
      const domain = name.slice(NAMED.length);
      length += text.length * (asked.get(domain) ?? 1);
      if (length > MOST_ANSWERED) throw tooMuch();
      resolved.set(domain, text);
    }
    const entries = [...canonical].map(
      ([input, domain]) => `${JSON.stringify(input)}:${(domain && resolved.get(domain)) ?? 'null'}`,
    );
    return { json: `{"results":{${entries.join(',')}}}` };
  },
});

/** Before a domain, the name of what is kept of it. */
const NAMED = 'resolve ';

/** What is known of each that the registry knows, as of a time: made of its own rows and its manager's, and of nothing else that was asked. */
async function* resolveEach(
  store: Store,
  names: readonly string[],
  nowMs: number,
): AsyncGenerator<MadeOfSeveral, void, undefined> {
  const domains = names.map((name) => name.slice(NAMED.length));
  for await (const one of eachWithClaims(store, domains)) {
    const { publisher_domain, publisher } = one;
    if (publisher === undefined) continue;
    const { live, within } = liveOfPublisherWithin(one, nowMs);
    const known: Known = {
      ...resolve(publisher, live),
      properties: (await allPropertiesOf(store, publisher)).map(shownOf),
    };
    // Thousands of properties that the store has judged: a second schema costs as much as to read them.
    const text = JSON.stringify(known);
    const of = [publisher_domain, ...(publisher.manager_domain == null ? [] : [publisher.manager_domain])];
    yield { name: NAMED + publisher_domain, text, within, of };
  }
}

type Known = NonNullable<ResolveResponse['results'][string]>;

function tooMuch(): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    `domains: what the registry knows of them is longer than ${MOST_ANSWERED} characters; send fewer at once, and each once`,
    { field: 'domains', suggestion: 'send half of them, or one alone' },
  );
}

/** By name, and nothing else: a newer release may have stored more. */
function shownOf(property: RegistryProperty) {
  const { property_id, property_type, name, tags, supported_channels, publisher_domain } = property;
  const identifiers = property.identifiers.map(({ type, value }) => ({ type, value }));
  return {
    property_id,
    property_type,
    name,
    identifiers,
    tags,
    supported_channels,
    publisher_domain,
  } satisfies RegistryProperty;
}

function resolve(publisher: RegistryPublisher, live: readonly LiveAuthorization[]) {
  const { publisher_domain, source, verified } = publisher;
  const authorized_agents = live.map(({ agent_url: url, publisher_domain: _, ...told }) => ({ url, ...told }));
  return { publisher_domain, source, authorized_agents, verified, seen_at: seenAt(publisher) };
}
