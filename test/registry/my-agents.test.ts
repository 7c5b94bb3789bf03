import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { memberProfiles } from '../../src/directory/member-profile/member-profile.ts';
import { membershipId, memberships } from '../../src/directory/membership/membership.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import type { Collection, Row, Store } from '../../src/platform/store/collection.ts';
import { organizationId } from '../support/ids.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { describeOnStores } from '../support/stores.ts';

describeOnStores('/api/me/agents on %s', (kind) => {
  let at: Registry;
  /** Done once, when somebody's organizations have been looked for and before that is known. */
  let afterNextLook: (() => Promise<unknown>) | undefined;

  beforeAll(async () => {
    at = await startRegistry(kind, { wrapStore: (store) => withPause(store, () => afterNextLook) });
  });
  afterAll(() => at.close());

  const freshDomain = () => `a-${randomUUID()}.example`;
  const user = (domain: string) => at.token({ sub: randomUUID(), email: `p@${domain}` });
  const register = (credential: string, body: object) =>
    at.post('/api/me/agents', body).set('Authorization', `Bearer ${credential}`);
  const mine = (credential: string) => at.get('/api/me/agents').set('Authorization', `Bearer ${credential}`);
  const orgsOf = async (corporate_domain: string) =>
    (await at.store.collection(organizations).find({ where: { corporate_domain } })).rows;

  it("[R9] [C.endpoints.my-agents] makes organization and profile on a person's first agent, and says so", async () => {
    const domain = freshDomain();
    const token = await user(domain);
    const first = await register(token, { url: `https://sales.${domain}/mcp`, type: 'sales' });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      url: `https://sales.${domain}/mcp`,
      name: `sales.${domain}`,
      type: 'sales',
      visibility: 'private',
      org_auto_created: true,
      profile_auto_created: true,
    });
    const [organization] = await orgsOf(domain);
    expect(organization).toMatchObject({ state: 'active', name: domain, domain_verified_by: 'email' });
    expect(await at.store.collection(memberProfiles).get(organization?.organization_id ?? '')).toMatchObject({
      display_name: domain,
      is_public: false,
    });
    const second = await register(token, { url: `https://creative.${domain}`, type: 'creative' });
    expect(second.status).toBe(201);
    expect(second.body).not.toHaveProperty('org_auto_created');
    expect(second.body).not.toHaveProperty('profile_auto_created');
  });

  it('[R9] tells a member, who manages nothing, who registers agents', async () => {
    const domain = freshDomain();
    await register(await user(domain), { url: `https://sales.${domain}`, type: 'sales' });
    const [{ organization_id } = { organization_id: organizationId('none') }] = await orgsOf(domain);
    const sub = randomUUID();
    const user_id = userIdOf(ISSUER, sub);
    await at.store.collection(memberships).insert({
      membership_id: membershipId(organization_id, user_id),
      ...{ organization_id, user_id, role: 'member', created_at: toTimestamp(at.clock.now()), revision: 1 },
    });
    const member = await at.token({ sub, email: `m@${domain}` });
    const answer = await register(member, { url: `https://other.${domain}`, type: 'sales' });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({
      error: expect.stringContaining('owners and admins register agents') as string,
    });
  });

  it('[R9] takes every way to write a URL for the same agent: 201, then 200', async () => {
    const domain = freshDomain();
    const token = await user(domain);
    const ways = ['', '/', '///', '#x', ':443', ':443/', '/a/..'].map((end) => `https://S.${domain}${end}`);
    ways.push(` HTTPS://s.${domain.toUpperCase()} `, `https://s.${domain}./`);
    const statuses = [];
    for (const url of ways) statuses.push((await register(token, { url, type: 'sales', name: 'Named' })).status);
    expect(statuses).toEqual([201, ...ways.slice(1).map(() => 200)]);
    await register(token, { url: `https://s.${domain}`, type: 'signals', visibility: 'public' });
    expect((await mine(token)).body).toMatchObject({
      agents: [{ url: `https://s.${domain}`, name: 'Named', type: 'signals', visibility: 'public' }],
    });
  });

  it('[R9] of ten first registrations at once makes one organization, one profile and one agent', async () => {
    const domain = freshDomain();
    const token = await user(domain);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => register(token, { url: `https://${domain}`, type: 'sales' })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    expect(answers.filter((answer) => 'org_auto_created' in (answer.body as object))).toHaveLength(1);
    expect(await orgsOf(domain)).toHaveLength(1);
    expect((await mine(token)).body).toMatchObject({ agents: [{ url: `https://${domain}` }] });
  });

  it('[R9] of two first registrations, the one that looked before the other made the organization is no stranger to it', async () => {
    const domain = freshDomain();
    const token = await user(domain);
    const asked = { url: `https://${domain}`, type: 'sales' };
    const statuses: number[] = [];
    afterNextLook = async () => {
      afterNextLook = undefined;
      statuses.push((await register(token, asked)).status);
    };
    statuses.push((await register(token, asked)).status);
    expect(statuses).toEqual([201, 200]);
    expect(await orgsOf(domain)).toHaveLength(1);
  });

  it.each([
    ['another host', (d: string) => `https://other-${d}`],
    ['a host that only ends alike', (d: string) => `https://x${d}`],
    ['the domain above', () => 'https://example'],
  ])('[R9] refuses %s with 403 before anything is made', async (_what, urlFor) => {
    const domain = freshDomain();
    const answer = await register(await user(domain), { url: urlFor(domain), type: 'sales' });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ field: 'url', error: expect.any(String) as string });
    expect(await orgsOf(domain)).toEqual([]);
  });

  it.each([
    { url: 'not a url' },
    { url: 'http://HOST' },
    { url: 'ftp://HOST' },
    { url: 'https://user:pw@HOST' },
    { url: 'https://HOST:0' },
    { url: 'https://HOST:22/a2a' },
    { url: 'https://HOST:6000' },
    { url: 'https://HOST', type: 'king' },
    { url: 'https://HOST', type: undefined },
    { url: 'https://HOST', visibility: 'secret' },
    { url: 'https://HOST', name: '<script>' },
    { url: undefined },
  ])('[R9] refuses %j with 400 before anything is made', async (body) => {
    const domain = freshDomain();
    const url = body.url?.replace('HOST', domain);
    const answer = await register(await user(domain), { type: 'sales', ...body, url });
    expect(answer.status).toBe(400);
    const [field = ''] = Object.keys(body).reverse();
    expect(answer.body).toMatchObject({ field, error: expect.stringContaining(field) as string });
    expect(await orgsOf(domain)).toEqual([]);
  });

  it('[R9] sends a person whose domain others have claimed to the join requests', async () => {
    const domain = freshDomain();
    const { organization_id } = await at.organization({
      corporate_domain: domain,
      domain_verified_by: 'email',
      owner_id: 'somebody',
    });
    const answer = await register(await user(domain), { url: `https://${domain}`, type: 'sales' });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ existing_org_id: organization_id });
  });

  it('[R9] takes an API key of the organization that owns the host, and only with registry:write', async () => {
    const domain = freshDomain();
    const { organization_id } = await at.organization({ corporate_domain: domain, domain_verified_by: 'email' });
    const body = { url: `https://${domain}`, type: 'sales' };
    const answer = await register(await at.apiKey(organization_id), body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ organization_id, profile_auto_created: true });
    expect((await register(await at.apiKey(organization_id, ['tasks:write']), body)).status).toBe(403);
    const unverified = await at.organization({ corporate_domain: freshDomain() });
    const refused = await register(await at.apiKey(unverified.organization_id), {
      ...body,
      url: `https://${unverified.corporate_domain ?? ''}`,
    });
    expect(refused.status).toBe(403);
  });

  it('[R9] changes and deletes own agents; another organization’s look unknown', async () => {
    const [domain, other] = [freshDomain(), freshDomain()];
    const [token, stranger] = [await user(domain), await user(other)];
    await register(stranger, { url: `https://${other}`, type: 'sales' });
    const registered = await register(token, { url: `https://${domain}`, type: 'sales' });
    const path = `/api/me/agents/${(registered.body as { agent_id: string }).agent_id}`;
    const patch = (who: string, to: string, change: object) =>
      at.send('patch', to, change).set('Authorization', `Bearer ${who}`);
    const remove = (who: string, to: string) => at.send('delete', to).set('Authorization', `Bearer ${who}`);

    expect((await patch(token, path, { visibility: 'members_only', name: 'New' })).body).toMatchObject({
      visibility: 'members_only',
      name: 'New',
      type: 'sales',
    });
    const moved = await patch(token, path, { url: `https://new.${domain}` });
    expect([moved.status, moved.body]).toMatchObject([400, { field: 'url' }]);
    const unknown = await patch(stranger, '/api/me/agents/agent_none', { name: 'X' });
    const foreign = await patch(stranger, path, { name: 'X' });
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual(unknown.body);
    expect((await remove(stranger, path)).status).toBe(404);
    expect((await remove(token, path)).status).toBe(204);
    expect((await remove(token, path)).status).toBe(404);
    expect((await mine(token)).body).toEqual({ agents: [] });
    expect(await at.store.collection(agents).count({ url: `https://${domain}` })).toBe(0);
  });

  it('needs a credential', async () => {
    for (const answer of [
      await at.post('/api/me/agents', {}),
      await at.get('/api/me/agents'),
      await at.send('patch', '/api/me/agents/x', {}),
      await at.send('delete', '/api/me/agents/x'),
    ]) {
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain('resource_metadata=');
    }
  });
});

function withPause(store: Store, afterLook: () => (() => Promise<unknown>) | undefined): Store {
  const pausing = <R extends Row>(inner: Collection<R>): Collection<R> => ({
    ...inner,
    async find(query) {
      const page = await inner.find(query);
      const { where = {} } = query as { where?: object };
      if (inner.spec.name === 'organizations' && 'owner_id' in where) await afterLook()?.();
      return page;
    },
  });
  return { ...store, collection: (spec) => pausing(store.collection(spec)) };
}
