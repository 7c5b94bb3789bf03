import type { Store } from '../../platform/store/collection.ts';
import { agents } from '../agent/agent.ts';
import { authorizations, preferHosted } from '../authorization/authorization.ts';
import { badges } from '../badge/badge.ts';
import { organizations } from '../organization/organization.ts';
import type { FeedKind, FeedSubject } from './feed-event.ts';

type PublicState = Record<string, unknown>;

/** The subject of an authorization: whom a publisher authorizes, from whichever source. */
export function authorizationSubject(publisher_domain: string, agent_url: string): FeedSubject {
  return { kind: 'authorization', key: JSON.stringify([publisher_domain, agent_url]) };
}

/** What everybody may know of a subject now; undefined when it is gone, or not public. @throws for one that cannot be read. */
export function publicStateOf(store: Store, { kind, key }: FeedSubject): Promise<PublicState | undefined> {
  return READERS[kind](store, key);
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
    const [publisher_domain, agent_url] = JSON.parse(key) as [string, string];
    const { rows, skipped } = await store.collection(authorizations).find({ where: { publisher_domain, agent_url } });
    // To be told as gone it would have to be gone.
    if (skipped !== undefined) throw new Error(`authorizations cannot be read: ${skipped.join(', ')}`);
    const row = preferHosted(rows)[0];
    return row && { publisher_domain, agent_url, authorized_for: row.authorized_for, source: row.source };
  },
  async badge(store, badge_id) {
    const row = await store.collection(badges).get(badge_id);
    if (row?.status !== 'earned' || !(await isPublic(store, row.agent_url))) return undefined;
    return { agent_url: row.agent_url, role: row.role, version: row.version };
  },
};

/** A badge of an agent that its owner does not show would tell that there is one. */
async function isPublic(store: Store, url: string): Promise<boolean> {
  const { rows } = await store.collection(agents).find({ where: { url }, limit: 1 });
  return rows[0]?.visibility === 'public';
}
