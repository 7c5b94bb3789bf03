import { agents } from '../agent/agent.ts';
import { authorizations } from '../authorization/authorization.ts';
import { authorizationSubject, propertiesSubject, publisherSubject } from '../feed/public-state.ts';
import type { FeedSubject } from '../feed/feed-event.ts';
import { publishStates } from '../feed/publish-many.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { memberProfiles } from '../member-profile/member-profile.ts';
import { organizations } from '../organization/organization.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import { publishers } from '../publisher/publisher.ts';
import { seedAgentPrefix } from './plant-seed.ts';
import { dropEntry } from '../search/keep-entry.ts';
import type { SeedBatch } from './seed-mark.ts';

/**
 * What a process that died left of the batch that it had in hand. What hangs on an entry goes in before it: where the entry is
 * missing, that is taken out, since a seed that has changed meanwhile, or somebody else who has the domain by now, would leave it for
 * ever. The rest is told in the feed, where it was not yet.
 */
export async function tidyBatch(deps: FeedDeps, { organization_ids, publisher_domains }: SeedBatch): Promise<void> {
  const { store } = deps;
  const known = new Set<string>(
    (await store.collection(organizations).getMany(organization_ids)).map((row) => row.organization_id),
  );
  const published = new Set(
    (await store.collection(publishers).getMany(publisher_domains)).map((row) => row.publisher_domain),
  );
  const subjects: FeedSubject[] = [];
  const operated = { where: { organization_id: { in: organization_ids } } };
  for await (const { agent_id, organization_id } of allRows(store.collection(agents), operated)) {
    if (!agent_id.startsWith(seedAgentPrefix(organization_id))) continue;
    if (!known.has(organization_id)) {
      await store.collection(agents).delete(agent_id);
      await dropEntry(store, agent_id);
    }
    subjects.push({ kind: 'agent', key: agent_id });
  }
  for (const organization_id of organization_ids) {
    if (!known.has(organization_id)) await store.collection(memberProfiles).delete(organization_id);
    subjects.push({ kind: 'organization', key: organization_id });
  }
  const granted = { where: { publisher_domain: { in: publisher_domains } } };
  const pairs = new Map<string, FeedSubject>();
  for await (const row of allRows(store.collection(authorizations), granted)) {
    // What a crawl finds has its entry, and is its publisher's.
    if (row.entry_id !== undefined) continue;
    if (!published.has(row.publisher_domain)) await store.collection(authorizations).delete(row.authorization_id);
    const subject = authorizationSubject(row.publisher_domain, row.agent_url);
    pairs.set(subject.key, subject);
  }
  for (const domain of publisher_domains) subjects.push(publisherSubject(domain), propertiesSubject(domain));
  await publishStates(deps, [...subjects, ...pairs.values()]);
}
