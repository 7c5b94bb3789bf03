import { agents } from '../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../src/directory/authorization/authorization.ts';
import { memberProfiles } from '../src/directory/member-profile/member-profile.ts';
import { newOrganization, organizations } from '../src/directory/organization/organization.ts';
import { publishers } from '../src/directory/publisher/publisher.ts';
import type { Store } from '../src/platform/store/collection.ts';
import { organizationId } from '../test/support/ids.ts';

const PUBLISHERS = 100_000;
const OPERATORS = 1_000;
const AGENTS_EACH = 4;
const PUBLISHERS_EACH = 10;

export function publisherDomain(i: number): string {
  return `publisher-${i % PUBLISHERS}.example`;
}

export function operatorDomain(i: number): string {
  return `operator-${i % OPERATORS}.example`;
}

/** Fills a registry: publishers with a property each, and operators with agents that publishers authorize. */
export async function fillRegistry(store: Store): Promise<void> {
  for (const spec of [agents, authorizations, memberProfiles, organizations, publishers])
    store.collection(spec as typeof agents);
  await store.prepare();
  const now = new Date().toISOString();
  const dates = { created_at: now, updated_at: now, revision: 1 };
  await store.collection(publishers).insertMany(
    Array.from({ length: PUBLISHERS }, (_, i) => ({
      ...{ publisher_domain: publisherDomain(i), source: 'adagents_json' as const, verified: true, ...dates },
      properties: [{ property_id: 'web', property_type: 'website', name: `Site ${i}`, identifiers: [], tags: [] }],
    })),
  );
  const each = <T>(make: (i: number) => T) => Array.from({ length: OPERATORS }, (_, i) => make(i));
  const organization_id = (i: number) => organizationId(`org_bench_${i}`);
  await store.collection(organizations).insertMany(
    each((i) =>
      newOrganization({
        ...{ organization_id: organization_id(i), name: `Operator ${i}`, state: 'active', created_at: now },
        ...{ corporate_domain: operatorDomain(i), domain_verified_by: 'email' },
        ...{ membership_tier: 'company_icl', subscription_status: 'active' },
      }),
    ),
  );
  await store.collection(memberProfiles).insertMany(
    each((i) => ({
      ...{ organization_id: organization_id(i), slug: `operator-${i}`, display_name: `Operator ${i}` },
      ...{ is_public: true, created_at: now, revision: 1 },
    })),
  );
  const url = (i: number, n: number) => `https://agent-${n}.${operatorDomain(i)}`;
  const ofAgents = Array.from({ length: AGENTS_EACH }, (_, n) => n);
  await store.collection(agents).insertMany(
    each((i) =>
      ofAgents.map((n) => ({
        ...{ agent_id: `agent_bench_${i}_${n}`, organization_id: organization_id(i), url: url(i, n), ...dates },
        ...{ name: `Agent ${n}`, type: 'sales' as const, visibility: 'public' as const },
      })),
    ).flat(),
  );
  await store.collection(authorizations).insertMany(
    each((i) =>
      ofAgents.flatMap((n) =>
        Array.from({ length: PUBLISHERS_EACH }, (_, p) => {
          const granted = {
            publisher_domain: publisherDomain(i * 97 + n * PUBLISHERS_EACH + p),
            agent_url: url(i, n),
            source: 'adagents_json' as const,
          };
          return {
            ...granted,
            authorization_id: authorizationId(granted.publisher_domain, granted.agent_url, granted.source),
            ...{ authorized_for: 'all inventory', source_url: null, seen_at: now, revision: 1 },
          };
        }),
      ),
    ).flat(),
  );
}
