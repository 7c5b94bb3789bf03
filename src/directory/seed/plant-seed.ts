import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Store } from '../../platform/store/collection.ts';
import { agents } from '../agent/agent.ts';
import { authorizationId, authorizations } from '../authorization/authorization.ts';
import { memberProfiles } from '../member-profile/member-profile.ts';
import { newOrganization, organizations } from '../organization/organization.ts';
import { publishers } from '../publisher/publisher.ts';
import type { RegistrySeed, SeedOrganization } from './seed.ts';

/**
 * Writes what is not there yet; what has been changed since stays changed. Safe to repeat and to race. Answers how many
 * rows went in.
 */
export async function plantSeed({ store, clock }: { store: Store; clock: Clock }, seed: RegistrySeed): Promise<number> {
  const now = toTimestamp(clock.now());
  const dates = { created_at: now, updated_at: now, revision: 1 };
  const counts = [
    await store.collection(organizations).insertMany(seed.organizations.map((given) => organizationRow(given, now))),
    await store
      .collection(memberProfiles)
      .insertMany(
        seed.organizations.flatMap(({ organization_id, name: display_name, profile }) =>
          profile ? [{ organization_id, ...profile, display_name, created_at: now, revision: 1 }] : [],
        ),
      ),
    await store.collection(agents).insertMany(
      seed.organizations.flatMap(({ organization_id, agents: operated }) =>
        operated.map((agent, i) => ({
          agent_id: seedAgentId(organization_id, i),
          organization_id,
          ...agent,
          ...dates,
        })),
      ),
    ),
    await store
      .collection(publishers)
      .insertMany(seed.publishers.map(({ authorized_agents: _, ...publisher }) => ({ ...publisher, ...dates }))),
    await store.collection(authorizations).insertMany(
      seed.publishers.flatMap(({ publisher_domain, authorized_agents }) =>
        authorized_agents.map(({ url, authorized_for, source }) => ({
          authorization_id: authorizationId(publisher_domain, url, source),
          publisher_domain,
          agent_url: url,
          authorized_for,
          source,
          source_url: source === 'hosted' ? null : `https://${publisher_domain}/.well-known/adagents.json`,
          seen_at: now,
          revision: 1,
        })),
      ),
    ),
  ];
  await followUrls(store, seed, now);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** A seed's agent is known by its entry: when the entry's URL has changed, such as `{base_url}`, the row's does too. */
async function followUrls(store: Store, seed: RegistrySeed, now: string): Promise<void> {
  const rows = store.collection(agents);
  for (const { organization_id, agents: operated } of seed.organizations)
    for (const [i, { url }] of operated.entries())
      await rows.update(seedAgentId(organization_id, i), (row) =>
        row.url === url ? undefined : { ...row, url, updated_at: now },
      );
}

/** The id of a seed organization's agent, by its place in the list. */
export function seedAgentId(organizationId: OrganizationId, position: number): string {
  return `agent_seed_${organizationId}_${position}`;
}

function organizationRow({ is_prospect, profile: _p, agents: _a, ...given }: SeedOrganization, now: string) {
  return newOrganization({
    ...given,
    state: is_prospect ? 'prospect' : 'active',
    domain_verified_by: is_prospect ? null : 'operator',
    created_at: now,
  });
}
