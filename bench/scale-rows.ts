import { agents } from '../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../src/directory/authorization/authorization.ts';
import { memberProfiles } from '../src/directory/member-profile/member-profile.ts';
import { newOrganization, organizations } from '../src/directory/organization/organization.ts';
import { publishers } from '../src/directory/publisher/publisher.ts';
import type { Store } from '../src/platform/store/collection.ts';
import { organizationId } from '../test/support/ids.ts';

export const PROPERTIES_EACH = 10;
/** Publishers that authorize one operator's agents: four agents, ten publishers each. */
export const PUBLISHERS_OF_OPERATOR = 40;
const BATCH = 5_000;

export const publisherAt = (i: number) => `publisher-${i}.example`;
export const operatorAt = (i: number) => `operator-${i}.example`;
export const operatorOf = (publisher: number) => Math.floor(publisher / PUBLISHERS_OF_OPERATOR);
export const agentOf = (publisher: number) => `https://agent-${publisher % 4}.${operatorAt(operatorOf(publisher))}`;

/** Adds publishers from a number up to another, each with its properties and an entry that names some of them, and their operators. */
export async function addPublishers(store: Store, from: number, to: number): Promise<void> {
  const now = new Date().toISOString();
  for (let start = from; start < to; start += BATCH) {
    const some = Array.from({ length: Math.min(BATCH, to - start) }, (_, n) => start + n);
    await store.collection(publishers).insertMany(some.map((i) => publisherRow(i, now)));
    await store.collection(authorizations).insertMany(some.map((i) => entryRow(i, now)));
    const operators = some.filter((i) => i % PUBLISHERS_OF_OPERATOR === 0).map(operatorOf);
    await addOperators(store, operators, now);
  }
}

function publisherRow(i: number, now: string) {
  const properties = Array.from({ length: PROPERTIES_EACH }, (_, n) => ({
    ...{ property_id: `site-${n}`, property_type: 'website', name: `Site ${n} of ${i}` },
    identifiers: [{ type: 'domain', value: `s${n}.${publisherAt(i)}` }],
    tags: n % 2 === 0 ? ['news'] : [],
  }));
  const dates = { created_at: now, updated_at: now, revision: 1 };
  return { publisher_domain: publisherAt(i), source: 'adagents_json' as const, verified: true, properties, ...dates };
}

function entryRow(i: number, now: string) {
  const [publisher_domain, agent_url, source] = [publisherAt(i), agentOf(i), 'adagents_json' as const];
  const entry = {
    url: agent_url,
    authorized_for: 'news',
    authorization_type: 'property_tags',
    property_tags: ['news'],
  };
  return {
    ...{ authorization_id: authorizationId(publisher_domain, agent_url, source, 'e'), publisher_domain, agent_url },
    ...{ source, entry_id: 'e', entry_json: JSON.stringify(entry), authorized_for: 'news' },
    ...{ source_url: `https://${publisher_domain}/.well-known/adagents.json`, seen_at: now, revision: 1 },
  };
}

async function addOperators(store: Store, operators: readonly number[], now: string): Promise<void> {
  const id = (i: number) => organizationId(`org_scale_${i}`);
  const dates = { created_at: now, updated_at: now, revision: 1 };
  await store.collection(organizations).insertMany(
    operators.map((i) =>
      newOrganization({
        ...{ organization_id: id(i), name: `Operator ${i}`, state: 'active', created_at: now },
        ...{ corporate_domain: operatorAt(i), domain_verified_by: 'email' },
        ...{ membership_tier: 'company_icl', subscription_status: 'active' },
      }),
    ),
  );
  await store.collection(memberProfiles).insertMany(
    operators.map((i) => ({
      ...{ organization_id: id(i), slug: `operator-${i}`, display_name: `Operator ${i}` },
      ...{ is_public: true, created_at: now, revision: 1 },
    })),
  );
  await store.collection(agents).insertMany(
    operators.flatMap((i) =>
      [0, 1, 2, 3].map((n) => ({
        ...{ agent_id: `agent_scale_${i}_${n}`, organization_id: id(i), url: `https://agent-${n}.${operatorAt(i)}` },
        ...{ name: `Agent ${n}`, type: 'sales' as const, visibility: 'public' as const, ...dates },
      })),
    ),
  );
}
