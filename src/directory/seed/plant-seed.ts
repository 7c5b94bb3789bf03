import { toTimestamp } from '../../platform/clock.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { DuplicateError } from '../../platform/store/collection.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { agents } from '../agent/agent.ts';
import { authorizationId, authorizations } from '../authorization/authorization.ts';
import { publishStates } from '../feed/publish-many.ts';
import { authorizationSubject, propertiesSubject, publisherSubject } from '../feed/public-state.ts';
import type { FeedSubject } from '../feed/feed-event.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { memberProfiles } from '../member-profile/member-profile.ts';
import { organizationDomains } from '../organization/organization-domain.ts';
import { newOrganization, organizations } from '../organization/organization.ts';
import { keepIdentifiers } from '../publisher/property-identifier.ts';
import { publishers } from '../publisher/publisher.ts';
import type { IdentifierList } from '../publisher/publisher.ts';
import type { RegistrySeed, SeedOrganization, SeedPublisher } from './seed.ts';

/** Publishers whose identifiers are written side by side. */
const HINTED_AT_ONCE = 100;

/**
 * Writes of some hundred entries what is not there yet, and puts it into the change feed. What is known already is its owners' and
 * its file's to change: an agent or an authorization that they took back does not come again, and who has an entry's
 * domain by now keeps it alone. Safe to repeat and to race. Answers how many rows went in.
 * @param ownUrl this agent, which is followed to a new address: what names it is planted again
 */
export async function plantSeed(deps: FeedDeps, seed: RegistrySeed, ownUrl?: string): Promise<number> {
  const { store, clock } = deps;
  const now = toTimestamp(clock.now());
  const dates = { created_at: now, updated_at: now, revision: 1 };
  const fresh = await unknownOrganizations(store, seed.organizations);
  const known = new Set(
    (await store.collection(publishers).getMany(seed.publishers.map((given) => given.publisher_domain))).map(
      ({ publisher_domain }) => publisher_domain,
    ),
  );
  const hints = await hintsFor(
    deps,
    seed.publishers.filter(({ publisher_domain }) => !known.has(publisher_domain)),
  );
  // What hangs on an entry goes in before it: a process that dies in between leaves the entry unknown, to be planted whole.
  const counts = [
    await store
      .collection(memberProfiles)
      .insertMany(
        fresh.flatMap(({ organization_id, name: display_name, profile }) =>
          profile ? [{ organization_id, ...profile, display_name, created_at: now, revision: 1 }] : [],
        ),
      ),
    await store.collection(agents).insertMany(
      fresh.flatMap(({ organization_id, agents: operated }) =>
        operated.map((agent, i) => ({
          agent_id: seedAgentId(organization_id, i),
          organization_id,
          ...agent,
          ...dates,
        })),
      ),
    ),
    await store.collection(organizations).insertMany(fresh.map((given) => organizationRow(given, now))),
    await store.collection(authorizations).insertMany(
      grantsIn(seed)
        .filter(
          ({ publisher_domain, url, source }) => source === 'hosted' || url === ownUrl || !known.has(publisher_domain),
        )
        .map(({ publisher_domain, url, authorized_for, source }) => ({
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
    await store.collection(publishers).insertMany(
      seed.publishers.map(({ authorized_agents: _, ...publisher }) => ({
        ...{ ...publisher, ...dates, seen_at: now, identifier_list: hints.get(publisher.publisher_domain) },
      })),
    ),
  ];
  await followUrls(deps, seed, now);
  await publishStates(deps, subjectsIn(seed));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Some at once, which the store puts into one transaction. */
async function hintsFor(
  { store, clock }: FeedDeps,
  fresh: readonly SeedPublisher[],
): Promise<Map<string, IdentifierList | null>> {
  const hints = new Map<string, IdentifierList | null>();
  const keep = async ({ publisher_domain, properties }: SeedPublisher) => {
    const means = { store, nowMs: clock.now() };
    hints.set(publisher_domain, await keepIdentifiers(means, publisher_domain, properties, null));
  };
  for (let at = 0; at < fresh.length; at += HINTED_AT_ONCE)
    await Promise.all(fresh.slice(at, at + HINTED_AT_ONCE).map(keep));
  return hints;
}

/** Those that are not there, and whose domain nobody else has. */
async function unknownOrganizations(store: Store, given: readonly SeedOrganization[]): Promise<SeedOrganization[]> {
  const rows = store.collection(organizations);
  const known = new Set(
    (await rows.getMany(given.map((one) => one.organization_id))).map((row) => row.organization_id),
  );
  const unknown = given.filter(({ organization_id }) => !known.has(organization_id));
  const domains = unknown.map(({ corporate_domain }) => corporate_domain);
  const held = new Set((await store.collection(organizationDomains).getMany(domains)).map(({ domain }) => domain));
  const where = { corporate_domain: { in: domains } };
  if (domains.length > 0)
    for await (const row of allRows(rows, { where, limit: 1000 })) held.add(row.corporate_domain ?? '');
  return unknown.filter(({ corporate_domain }) => !held.has(corporate_domain));
}

/**
 * The agent that some entries name has another address: what they said of it under the former one is taken back. The same
 * entries in the same order, as they are and as they were.
 */
export async function takeBackFormer(deps: FeedDeps, now: RegistrySeed, before: RegistrySeed): Promise<void> {
  const rows = deps.store.collection(authorizations);
  const stays = new Set(grantsIn(now).map(grantName));
  const gone = grantsIn(before).filter((grant) => !stays.has(grantName(grant)));
  for (const { publisher_domain, url: agent_url, source } of gone) {
    const { rows: found } = await rows.find({ where: { publisher_domain, agent_url }, limit: 1000 });
    for (const row of found.filter((one) => one.source === source)) await rows.delete(row.authorization_id);
  }
  await publishStates(
    deps,
    gone.map(({ publisher_domain, url }) => authorizationSubject(publisher_domain, url)),
  );
}

type Grant = { publisher_domain: string } & SeedPublisher['authorized_agents'][number];

function grantsIn({ publishers: given }: RegistrySeed): Grant[] {
  return given.flatMap(({ publisher_domain, authorized_agents }) =>
    authorized_agents.map((agent) => ({ publisher_domain, ...agent })),
  );
}

function grantName({ publisher_domain, url, source }: Grant): string {
  return JSON.stringify([publisher_domain, url, source]);
}

function subjectsIn(seed: RegistrySeed): FeedSubject[] {
  const named = [
    ...seed.organizations.flatMap(({ organization_id, agents: operated }) => [
      { kind: 'organization' as const, key: organization_id },
      ...operated.map((_, i) => ({ kind: 'agent' as const, key: seedAgentId(organization_id, i) })),
    ]),
    ...seed.publishers.flatMap(({ publisher_domain }) => [
      publisherSubject(publisher_domain),
      propertiesSubject(publisher_domain),
    ]),
    ...grantsIn(seed).map(({ publisher_domain, url }) => authorizationSubject(publisher_domain, url)),
  ];
  // One agent may be there from both sources.
  return [...new Map(named.map((subject) => [`${subject.kind} ${subject.key}`, subject])).values()];
}

/** A seed's agent is known by its entry: when the entry's URL has changed, such as `{base_url}`, the row's does too. */
async function followUrls({ store }: FeedDeps, seed: RegistrySeed, now: string): Promise<void> {
  const rows = store.collection(agents);
  const urls = new Map(
    seed.organizations.flatMap(({ organization_id, agents: operated }) =>
      operated.map(({ url }, i) => [seedAgentId(organization_id, i), url] as const),
    ),
  );
  for (const { agent_id, url: stored } of await rows.getMany([...urls.keys()], { skipUnreadable: true })) {
    const url = urls.get(agent_id);
    if (url === undefined || url === stored) continue;
    await rows
      .update(agent_id, (row) => (row.url === url ? undefined : { ...row, url, updated_at: now }))
      .catch((error: unknown) => {
        // Somebody has registered an agent there: that is theirs.
        if (!(error instanceof DuplicateError)) throw error;
      });
  }
}

/** The id of a seed organization's agent, by its place in the list. */
function seedAgentId(organizationId: OrganizationId, position: number): string {
  return `${seedAgentPrefix(organizationId)}${position}`;
}

/** What the ids of its agents begin with. */
export function seedAgentPrefix(organizationId: OrganizationId): string {
  return `agent_seed_${organizationId}_`;
}

function organizationRow({ is_prospect, profile: _p, agents: _a, ...given }: SeedOrganization, now: string) {
  return newOrganization({
    ...given,
    state: is_prospect ? 'prospect' : 'active',
    domain_verified_by: is_prospect ? null : 'operator',
    created_at: now,
  });
}
