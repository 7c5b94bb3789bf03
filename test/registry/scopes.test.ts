import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { apiKeys } from '../../src/directory/api-key/api-key.ts';
import { SCOPES } from '../../src/directory/caller.ts';
import type { Scope } from '../../src/directory/caller.ts';
import { hostedFiles } from '../../src/directory/hosted-file/hosted-file.ts';
import { joinRequests } from '../../src/directory/join-request/join-request.ts';
import { memberProfiles } from '../../src/directory/member-profile/member-profile.ts';
import { memberships } from '../../src/directory/membership/membership.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { publisherWatches } from '../../src/directory/publisher-watch/publisher-watch.ts';
import { organizationDomains } from '../../src/directory/organization/organization-domain.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import type { CollectionSpec } from '../../src/platform/store/collection.ts';
import { scopeOf } from '../../src/registry/endpoint.ts';
import type { Endpoint } from '../../src/registry/endpoint.ts';
import { endpoints } from '../../src/registry/index.ts';
import { organizationId } from '../support/ids.ts';
import { BASE_URL, freshAddress, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;
/** Whose things the calls are about, and somebody else. */
let own: Party;
let foreign: Party;

interface Party {
  organization_id: string;
  domain: string;
  user: string;
  agent_id: string;
  keyId: string;
  /** A member besides the owner, what somebody asks who would be one, and what the owner claims and has proved. */
  memberId: string;
  requestId: string;
  claimId: string;
  provedDomain: string;
}

beforeAll(async () => {
  at = await startRegistry('sqlite');
  own = await party();
  foreign = await party();
});
afterAll(() => at.close());

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });

const idIn = (answer: { body: unknown }) => (answer.body as { id: string }).id;

async function party(): Promise<Party> {
  const domain = `s-${randomUUID()}.example`;
  const user = await at.token({ sub: randomUUID(), email: `o@${domain}` });
  const as = bearer(user);
  const made = await at.post('/api/organizations', { organization_name: 'Scopes' }).set(as);
  const organization_id = (made.body as { organization: { id: string } }).organization.id;
  const agent = await at.post('/api/me/agents', { url: `https://sales.${domain}`, type: 'sales' }).set(as);
  const key = await at.post(`/api/organizations/${organization_id}/api-keys`, { name: 'K' }).set(as);
  const { agent_id } = agent.body as { agent_id: string };
  const ask = async () => {
    const asker = bearer(await at.token({ sub: randomUUID(), email: `p@${domain}` }));
    return idIn(await at.post(`/api/organizations/${organization_id}/join-requests`).set(asker));
  };
  const approval = `/api/organizations/${organization_id}/join-requests/${await ask()}/approve`;
  const member = await at.post(approval, { role: 'member' }).set(as);
  const claim = await at
    .post(`/api/organizations/${organization_id}/claims`, { domain: `more-${domain}`, method: 'dns' })
    .set(as);
  const provedDomain = `proved-${domain}`;
  await at.store.collection(organizationDomains).insert({
    ...{ domain: provedDomain, organization_id: organizationId(organization_id), verified_by: 'dns', user_id: 'u' },
    ...{ created_at: new Date().toISOString(), revision: 1 },
  });
  await at.store.collection(publishers).insert({
    ...{ publisher_domain: provedDomain, source: 'adagents_json', verified: true, properties: [] },
    ...{ created_at: new Date().toISOString(), updated_at: new Date().toISOString(), revision: 1 },
  });
  await at.send('put', `/api/me/publishers/${provedDomain}/adagents`, { authorized_agents: [] }).set(as);
  const memberId = (member.body as { user_id: string }).user_id;
  const more = { memberId, requestId: await ask(), claimId: idIn(claim), provedDomain };
  return { organization_id, domain, user, agent_id, keyId: idIn(key), ...more };
}

/** The body of a call about what is `own`, by endpoint. `isOpen`: anybody with a credential may call it about that. */
const CALLS: Readonly<Record<string, { body?: () => object; isOpen?: true }>> = {
  publisherStatus: { isOpen: true },
  listAgents: { isOpen: true },
  listAgentChecks: { isOpen: true },
  searchAgents: { isOpen: true },
  registerPublisherWebhook: { body: () => ({ publisher_domain: own.domain, url: 'https://hooks.nowhere.example/' }) },
  putHostedAdagents: { body: () => ({ authorized_agents: [] }) },
  getHostedAdagents: {},
  verifyHostedAdagents: {},
  deleteHostedAdagents: {},
  saveProperty: { body: () => ({ publisher_domain: own.provedDomain, authorized_agents: [] }) },
  listPublisherWebhooks: {},
  changePublisherWebhook: { body: () => ({ events: ['crawl.failing'] }) },
  deletePublisherWebhook: {},
  testPublisherWebhook: {},
  lookUpOperator: { isOpen: true },
  createOrganization: { body: () => ({ organization_name: 'Another' }), isOpen: true },
  createCheckoutSession: { body: () => ({ price_id: 'price', org_id: own.organization_id }) },
  requestToJoin: { isOpen: true },
  listJoinRequests: {},
  approveJoinRequest: { body: () => ({ role: 'member' }) },
  rejectJoinRequest: {},
  listMyJoinRequests: { isOpen: true },
  withdrawJoinRequest: {},
  listMyOrganizations: { isOpen: true },
  listMembers: {},
  changeMember: { body: () => ({ role: 'admin' }) },
  removeMember: {},
  transferOrganization: { body: () => ({ user_id: own.memberId }) },
  claimDomain: { body: () => ({ domain: own.domain, method: 'dns' }) },
  verifyClaim: {},
  listDomains: {},
  releaseDomain: {},
  createOrganizationKey: { body: () => ({ name: 'Another' }) },
  listOrganizationKeys: {},
  rerollOrganizationKey: { body: () => ({ overlap_days: 1 }) },
  revokeOrganizationKey: {},
  getProfile: {},
  changeProfile: { body: () => ({ is_public: true }) },
  registerAgent: { body: () => ({ url: `https://other.${own.domain}`, type: 'sales' }) },
  listMyAgents: { isOpen: true },
  changeAgent: { body: () => ({ name: 'Another' }) },
  deleteAgent: {},
  checkBadges: {},
  listOwnDeliveries: { isOpen: true },
  showOwnDelivery: {},
  showOwnDeliveryBody: {},
  resendOwnDelivery: {},
  countOwnRange: { isOpen: true },
  resendOwnRange: { body: () => ({ state: 'exhausted', until: new Date().toISOString() }), isOpen: true },
  listOwnRanges: { isOpen: true },
  showOwnRange: {},
  stopOwnRange: {},
  listOwnRegistrations: { isOpen: true },
  endOwnRegistration: {},
  testOwnRegistration: {},
  showOwnWebhookStats: { isOpen: true },
  listCardKeys: { isOpen: true },
  listOwnWebhookKeys: { isOpen: true },
  listOwnDestinations: { isOpen: true },
  makePortalLink: { isOpen: true },
  sendTestWebhook: { body: () => ({ url: 'https://hooks.nowhere.example/' }), isOpen: true },
};

const guarded = endpoints.filter(({ access }) => access !== 'public');

async function call({ id, method, path }: Endpoint, credential?: string) {
  const ids: Record<string, string> = {
    ...{ orgId: own.organization_id, agent_id: own.agent_id, keyId: own.keyId, userId: own.memberId },
    ...{ requestId: own.requestId, claimId: own.claimId, domain: own.provedDomain },
    encodedUrl: encodeURIComponent(BASE_URL),
  };
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');
  const query = id === 'lookUpOperator' ? `?domain=${own.domain}` : '';
  const asked = request(at.app)
    [method](url + query)
    .set('X-Forwarded-For', freshAddress());
  if (credential !== undefined) void asked.set(bearer(credential));
  const answer = await asked.send(CALLS[id]?.body?.());
  return { status: answer.status, error: (answer.body as { error?: string } | null)?.error ?? '' };
}

/** Everything stored of an organization. */
async function stored(organization_id: string) {
  const of = { where: { organization_id }, limit: 100 };
  const all = [
    ...([agents, apiKeys, joinRequests, memberProfiles, memberships] as const),
    ...([hostedFiles, organizationDomains, organizations, publisherWatches] as const),
  ];
  const anyOf = (spec: unknown) => spec as CollectionSpec<{ revision: number; organization_id: string }>;
  return Promise.all(all.map(async (spec) => (await at.store.collection(anyOf(spec)).find(of)).rows));
}

describe('[R13] every endpoint of the registry', () => {
  it('says whether it reads or writes: a GET reads, a change or a deletion writes', () => {
    for (const { id, method, effect } of endpoints) {
      if (method !== 'post') expect([id, effect]).toEqual([id, method === 'get' ? 'read' : 'write']);
    }
    expect(Object.keys(CALLS).sort()).toEqual(guarded.map(({ id }) => id).sort());
  });

  it.each(guarded)('$method $path needs its scope, of a key and of a token alike', async (row) => {
    const needed = scopeOf(row);
    const others = SCOPES.filter((scope) => scope !== needed);
    const lacking: Scope[][] = [[], ['tasks:read', 'tasks:write'], others];
    for (const scopes of lacking) {
      const key = await at.apiKey(foreign.organization_id, scopes);
      const token = await at.token({ sub: randomUUID(), email: `x@${foreign.domain}`, scope: scopes.join(' ') });
      const refused = [await call(row, key), await call(row, token)];
      expect(refused).toEqual([
        { status: 403, error: `this API key lacks the scope ${needed}` },
        { status: 403, error: `this token lacks the scope ${needed}` },
      ]);
    }
    const { error } = await call(row, await at.apiKey(foreign.organization_id, [needed]));
    expect(error).not.toContain('lacks the scope');
    expect((await call(row)).status).toBe(row.access === 'required' ? 401 : 200);
  });

  it.each(guarded.filter(({ id }) => CALLS[id]?.isOpen !== true))(
    '$method $path is nothing for another organization, by its key or its owner',
    async (row) => {
      const before = await stored(own.organization_id);
      for (const credential of [await at.apiKey(foreign.organization_id), foreign.user]) {
        expect([403, 404]).toContain((await call(row, credential)).status);
      }
      expect(await stored(own.organization_id)).toEqual(before);
    },
  );
});
