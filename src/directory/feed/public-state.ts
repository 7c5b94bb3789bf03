import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { agents } from '../agent/agent.ts';
import { authorizations, preferHosted } from '../authorization/authorization.ts';
import type { Authorization } from '../authorization/authorization.ts';
import { badges, stepOf } from '../badge/badge.ts';
import { organizations } from '../organization/organization.ts';
import { propertiesCount, propertiesDigest } from '../publisher/property-list.ts';
import { publishers } from '../publisher/publisher.ts';
import type { RegistryPublisher } from '../publisher/publisher.ts';
import type { FeedKind, FeedSubject } from './feed-event.ts';

/** What everybody may know of a subject. */
export type PublicState = Record<string, unknown>;

/** The subject of an authorization: whom a publisher authorizes, from whichever source. */
export function authorizationSubject(publisher_domain: string, agent_url: string): FeedSubject {
  return { kind: 'authorization', key: JSON.stringify([publisher_domain, agent_url]) };
}

/** A publisher itself. */
export function publisherSubject(publisher_domain: string): FeedSubject {
  return { kind: 'publisher', key: publisher_domain };
}

/**
 * The properties of a publisher, all of them as one: a file has thousands, and who changes it must not fill the feed. What they
 * are is asked of the registry.
 */
export function propertiesSubject(publisher_domain: string): FeedSubject {
  return { kind: 'property', key: publisher_domain };
}

/** What everybody may know of a subject now; undefined when it is gone, or not public. @throws for one that cannot be read. */
export function publicStateOf(store: Store, { kind, key }: FeedSubject): Promise<PublicState | undefined> {
  return READERS[kind](store, key);
}

/** The same of many, in their order, with publishers, their properties and authorizations read together. @throws likewise. */
export async function publicStatesOf(
  store: Store,
  subjects: readonly FeedSubject[],
): Promise<(PublicState | undefined)[]> {
  const pairs = subjects.flatMap(({ kind, key }) => (kind === 'authorization' ? [JSON.parse(key) as Pair] : []));
  const granted = new Map<string, Authorization[]>();
  const publisher_domain = { in: [...new Set(pairs.map(([domain]) => domain))] };
  const walk = { where: { publisher_domain }, limit: 1000, onSkipped: refuseSkipped };
  if (pairs.length > 0)
    for await (const row of allRows(store.collection(authorizations), walk)) {
      const { key } = authorizationSubject(row.publisher_domain, row.agent_url);
      granted.set(key, [...(granted.get(key) ?? []), row]);
    }
  const domains = new Set(
    subjects.flatMap(({ kind, key }) => (kind === 'publisher' || kind === 'property' ? [key] : [])),
  );
  const known = domains.size === 0 ? [] : await store.collection(publishers).getMany([...domains]);
  const listed = new Map(known.map((row) => [row.publisher_domain, row]));
  return Promise.all(
    subjects.map(async (subject) => {
      if (subject.kind === 'authorization') return authorizationState(granted.get(subject.key) ?? []);
      if (subject.kind === 'publisher') return publisherState(listed.get(subject.key));
      if (subject.kind === 'property') return propertiesState(listed.get(subject.key));
      return publicStateOf(store, subject);
    }),
  );
}

/** Publisher domain and agent URL. */
type Pair = [string, string];

/** Of all that is stored for one publisher and agent. */
function authorizationState(rows: readonly Authorization[]): PublicState | undefined {
  const row = preferHosted(rows)[0];
  if (row === undefined) return undefined;
  const { publisher_domain, agent_url, authorized_for, source } = row;
  return { publisher_domain, agent_url, authorized_for, source };
}

function publisherState(row: RegistryPublisher | undefined): PublicState | undefined {
  if (row === undefined) return undefined;
  const { publisher_domain, source, verified, last_change } = row;
  return {
    ...{ publisher_domain, source, verified, properties_count: propertiesCount(row) },
    // What the last crawl that changed anything changed: so each is told, and by one event.
    ...(last_change !== undefined && { last_change }),
  };
}

function propertiesState(row: RegistryPublisher | undefined): PublicState | undefined {
  if (row === undefined || propertiesCount(row) === 0) return undefined;
  const { publisher_domain } = row;
  return { publisher_domain, properties_count: propertiesCount(row), properties_digest: propertiesDigest(row) };
}

/** To be told as gone an authorization would have to be gone. */
function refuseSkipped(skipped: readonly string[]): void {
  if (skipped.length > 0) throw new Error(`authorizations cannot be read: ${skipped.join(', ')}`);
}

const READERS: Record<FeedKind, (store: Store, key: string) => Promise<PublicState | undefined>> = {
  async organization(store, organization_id) {
    const row = await store.collection(organizations).get(organization_id);
    if (row?.state !== 'active' || row.is_personal) return undefined;
    return { organization_id, name: row.name, domain: row.corporate_domain };
  },
  async agent(store, agent_id) {
    const row = await store.collection(agents).get(agent_id);
    if (row?.visibility !== 'public') return undefined;
    return { url: row.url, name: row.name, type: row.type, organization_id: row.organization_id };
  },
  async authorization(store, key) {
    const [publisher_domain, agent_url] = JSON.parse(key) as Pair;
    const { rows, skipped } = await store.collection(authorizations).find({ where: { publisher_domain, agent_url } });
    refuseSkipped(skipped ?? []);
    return authorizationState(rows);
  },
  async publisher(store, publisher_domain) {
    return publisherState(await store.collection(publishers).get(publisher_domain));
  },
  async property(store, publisher_domain) {
    return propertiesState(await store.collection(publishers).get(publisher_domain));
  },
  async badge(store, badge_id) {
    const row = await store.collection(badges).get(badge_id);
    if (row?.status !== 'earned' || !(await isPublic(store, row.agent_url))) return undefined;
    return {
      ...{ agent_url: row.agent_url, role: row.role, version: row.version },
      step: stepOf(row),
    };
  },
};

/** A badge of an agent that its owner does not show would tell that there is one. */
async function isPublic(store: Store, url: string): Promise<boolean> {
  const { rows } = await store.collection(agents).find({ where: { url }, limit: 1 });
  return rows[0]?.visibility === 'public';
}
