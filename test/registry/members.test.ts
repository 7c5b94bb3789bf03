import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memberships } from '../../src/directory/membership/membership.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { grants } from '../../src/oauth/grant/grant.ts';
import { organizationId } from '../support/ids.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

interface Person {
  sub: string;
  user_id: string;
  email: string;
  as: { Authorization: string };
}
interface Company {
  id: string;
  owner: Person;
  path: string;
}
type Body = Record<string, unknown>;

describeOnStores('members on %s', (kind) => {
  let at: Registry;
  /** Done once, before the next write to the memberships. */
  let beforeWrite: (() => Promise<unknown>) | undefined;
  beforeAll(async () => {
    at = await startRegistry(kind, {
      wrapStore: (store) =>
        withStoreHooks(store, {
          async before({ collection }) {
            const first = collection === memberships.name ? beforeWrite : undefined;
            if (first === undefined) return;
            beforeWrite = undefined;
            await first();
          },
        }),
    });
  });
  afterAll(() => at.close());

  async function person(email = `p@c-${randomUUID()}.example`): Promise<Person> {
    const sub = randomUUID();
    const token = await at.token({ sub, email });
    return { sub, user_id: userIdOf(ISSUER, sub), email, as: { Authorization: `Bearer ${token}` } };
  }
  const bodyOf = (answer: { body: unknown }) => answer.body as Body;
  async function company(): Promise<Company> {
    const owner = await person();
    const made = await at.post('/api/organizations', { organization_name: 'Members' }).set(owner.as);
    const { id } = bodyOf(made)['organization'] as { id: string };
    return { id, owner, path: `/api/organizations/${id}` };
  }
  const ask = async ({ path }: Company, who: Person) =>
    String(bodyOf(await at.post(`${path}/join-requests`).set(who.as))['id']);
  const approve = ({ path, owner }: Company, requestId: string, role: string) =>
    at.post(`${path}/join-requests/${requestId}/approve`, { role }).set(owner.as);
  async function member(of: Company, role = 'member'): Promise<Person> {
    const who = await person();
    expect((await approve(of, await ask(of, who), role)).status).toBe(200);
    return who;
  }
  const list = ({ path }: Company, who: Person) => at.get(`${path}/members`).set(who.as);
  const change = ({ path }: Company, who: Person, whom: Person, role: string) =>
    at.send('patch', `${path}/members/${whom.user_id}`, { role }).set(who.as);
  const remove = ({ path }: Company, who: Person, whom: Person, query = '') =>
    at.send('delete', `${path}/members/${whom.user_id}${query}`).set(who.as);
  const transfer = ({ path }: Company, who: Person, whom: Person) =>
    at.post(`${path}/transfer`, { user_id: whom.user_id }).set(who.as);
  const rolesIn = async (of: Company, who = of.owner) =>
    Object.fromEntries(
      (bodyOf(await list(of, who))['members'] as { email: string; role: string }[]).map(({ email, role }) => [
        email,
        role,
      ]),
    );

  it('[R8.members] are listed to each other with address, role and since when, by pages; to nobody else', async () => {
    const of = await company();
    const who = await member(of, 'admin');
    const answer = await list(of, who);
    expect(answer.body).toEqual({
      members: [
        { user_id: of.owner.user_id, email: of.owner.email, role: 'owner', since: expect.any(String) as string },
        { user_id: who.user_id, email: who.email, role: 'admin', since: expect.any(String) as string },
      ],
      has_more: false,
    });
    const rows = Array.from({ length: 100 }, (_, i) => `user_${i}`).map((user_id) => ({
      ...{ membership_id: `${of.id}/${user_id}`, organization_id: organizationId(of.id), user_id },
      ...{ role: 'member' as const, created_at: '2099-01-01T00:00:00.000Z', revision: 1 },
    }));
    await at.store.collection(memberships).insertMany(rows);
    const first = bodyOf(await list(of, who));
    expect(first).toMatchObject({ has_more: true });
    const next = bodyOf(
      await at.get(`${of.path}/members?cursor=${encodeURIComponent(String(first['cursor']))}`).set(who.as),
    );
    const seen = [first, next].flatMap((page) => (page['members'] as Body[]).map(({ user_id }) => user_id));
    expect(new Set(seen).size).toBe(102);
    expect(seen).toHaveLength(102);
    for (const stranger of [await person(), (await company()).owner])
      expect((await list(of, stranger)).status).toBe(403);
    const key = await at.apiKey(of.id);
    expect((await at.get(`${of.path}/members`).set({ Authorization: `Bearer ${key}` })).status).toBe(403);
  });

  it('[R8.members] are changed, removed and given the organization by owners alone', async () => {
    const of = await company();
    const [ann, bob] = [await member(of, 'admin'), await member(of)];
    for (const who of [ann, bob, await person(), (await company()).owner]) {
      expect((await change(of, who, bob, 'owner')).status).toBe(403);
      expect((await remove(of, who, of.owner)).status).toBe(403);
      expect((await transfer(of, who, bob)).status).toBe(403);
    }
    expect((await change(of, of.owner, await person(), 'admin')).status).toBe(404);
    expect((await remove(of, of.owner, await person())).status).toBe(404);
    expect((await transfer(of, of.owner, await person())).status).toBe(404);
    expect((await change(of, of.owner, bob, 'king')).status).toBe(400);
    expect((await change(of, of.owner, bob, 'owner')).body).toEqual({
      ...{ organization_id: of.id, user_id: bob.user_id, role: 'owner' },
    });
    expect((await transfer(of, bob, ann)).body).toMatchObject({ user_id: ann.user_id, role: 'owner' });
    expect(await rolesIn(of)).toEqual({ [of.owner.email]: 'owner', [ann.email]: 'owner', [bob.email]: 'admin' });
  });

  it('[R8.members] the only owner is refused with the way out, and leaves once another owns it', async () => {
    const of = await company();
    const ann = await member(of);
    for (const answer of [await remove(of, of.owner, of.owner), await change(of, of.owner, of.owner, 'member')]) {
      expect(answer.status).toBe(409);
      expect(bodyOf(answer)['error']).toContain(`POST ${of.path}/transfer`);
    }
    expect((await transfer(of, of.owner, ann)).status).toBe(200);
    expect(await rolesIn(of)).toEqual({ [ann.email]: 'owner', [of.owner.email]: 'admin' });
    expect((await remove(of, of.owner, of.owner)).status).toBe(200);
    expect(await rolesIn(of, ann)).toEqual({ [ann.email]: 'owner' });
    expect((await list(of, of.owner)).status).toBe(403);
  });

  it('[R8.members] whoever is removed can do nothing more at once: no key, no list, no agent, no grant, no old approval', async () => {
    const of = await company();
    const ann = await person();
    const requestId = await ask(of, ann);
    await approve(of, requestId, 'owner');
    const grant_id = `grant_${randomUUID()}`;
    const now = new Date(at.clock.now()).toISOString();
    const later = new Date(at.clock.now() + 86_400_000).toISOString();
    const grant = {
      ...{
        client_id: 'app',
        redirect_uri: 'https://app.example/',
        code_challenge: 'c',
        email: ann.email,
        auth_time: 1,
      },
      ...{ resource: 'r', scopes: ['tasks:read' as const], organization_id: organizationId(of.id), created_at: now },
      ...{ code_expires_at: later, exchanged_at: now, refresh_number: 1, refresh_expires_at: later },
      ...{ revoked_at: null, revoked_because: null, expires_at: later, revision: 1 },
    };
    await at.store.collection(grants).insert({ ...grant, grant_id, subject: ann.sub });
    await at.store.collection(grants).insert({ ...grant, grant_id: `${grant_id}o`, subject: of.owner.sub });
    const made = await at.post(`${of.path}/api-keys`, { name: 'Ann made it' }).set(ann.as);

    const removed = await remove(of, of.owner, ann);
    expect(removed.body).toEqual({
      ...{ organization_id: of.id, user_id: ann.user_id, grants_ended: 1, api_keys_revoked: [] },
      api_keys_left: [{ id: bodyOf(made)['id'], name: 'Ann made it', key_hint: bodyOf(made)['key_hint'] }],
    });
    const ended = await at.store.collection(grants).get(grant_id);
    expect(ended).toMatchObject({ revoked_because: 'membership_ended' });
    expect(await at.store.collection(grants).get(`${grant_id}o`)).toMatchObject({ revoked_at: null });
    const tried = [
      await at.post(`${of.path}/api-keys`, { name: 'Again' }).set(ann.as),
      await at.get(`${of.path}/api-keys`).set(ann.as),
      await at.get(`${of.path}/join-requests`).set(ann.as),
      await at.send('patch', `${of.path}/profile`, { is_public: true }).set(ann.as),
      await at.post('/api/me/agents', { url: `https://a.${of.owner.email.slice(2)}`, type: 'sales' }).set(ann.as),
      await list(of, ann),
      await remove(of, ann, of.owner),
    ];
    expect(tried.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403, 403]);
    const again = await approve(of, requestId, 'owner');
    expect([again.status, bodyOf(again)['error']]).toEqual([
      ...[409, 'they have left the organization since; they may ask again'],
    ]);
    expect(await rolesIn(of)).toEqual({ [of.owner.email]: 'owner' });
    const keys = bodyOf(await at.get(`${of.path}/api-keys`).set(of.owner.as))['api_keys'];
    expect(keys).toMatchObject([{ made_by: { user_id: ann.user_id, email: ann.email, is_member: false } }]);
    expect((await approve(of, await ask(of, ann), 'member')).status).toBe(200);
    expect(await rolesIn(of)).toMatchObject({ [ann.email]: 'member' });
  });

  it('[R8.members] an approval that is sent twice, and comes through only after they were removed, lets nobody in again', async () => {
    const of = await company();
    const ann = await person();
    const requestId = await ask(of, ann);
    await approve(of, requestId, 'admin');
    beforeWrite = async () => {
      expect((await remove(of, of.owner, ann)).status).toBe(200);
    };
    expect((await approve(of, requestId, 'admin')).status).toBe(409);
    expect(await rolesIn(of)).toEqual({ [of.owner.email]: 'owner' });
  });

  it('[R8.members] an owner revokes the keys of whom they remove in the same call; nobody else does', async () => {
    const of = await company();
    const [ann, bob] = [await member(of, 'owner'), await member(of)];
    const made = await at.post(`${of.path}/api-keys`, { name: 'K' }).set(ann.as);
    expect((await remove(of, bob, bob, '?revoke_api_keys=true')).status).toBe(403);
    expect((await remove(of, of.owner, ann, '?revoke_keys=true')).status).toBe(400);
    const removed = await remove(of, of.owner, ann, '?revoke_api_keys=true');
    expect(removed.body).toMatchObject({ api_keys_left: [], api_keys_revoked: [bodyOf(made)['id']] });
    const used = await at.get('/api/me/agents').set({ Authorization: `Bearer ${String(bodyOf(made)['key'])}` });
    expect(used.status).toBe(401);
    expect((await remove(of, bob, bob)).body).toMatchObject({ user_id: bob.user_id, api_keys_left: [] });
  });

  it('[R8.members] people see the organizations that they belong to, with role, tier and since when', async () => {
    const of = await company();
    const ann = await member(of, 'admin');
    const personal = await at.post('/api/organizations', { organization_name: 'Me', is_personal: true }).set(ann.as);
    expect(personal.status).toBe(201);
    const mine = await at.get('/api/me/organizations').set(ann.as);
    const common = { since: expect.any(String) as string, is_suspended: false };
    const noTier = { membership_tier: null, membership_tier_label: null };
    expect(bodyOf(mine)['organizations']).toEqual([
      {
        ...common,
        ...noTier,
        organization_id: expect.any(String) as string,
        name: 'Me',
        role: 'owner',
        is_personal: true,
      },
      { ...common, ...noTier, organization_id: of.id, name: 'Members', role: 'admin', is_personal: false },
    ]);
    await remove(of, ann, ann);
    expect(bodyOf(await at.get('/api/me/organizations').set(ann.as))['organizations']).toHaveLength(1);
    const paying = await at.organization({
      ...{ owner_id: ann.user_id, membership_tier: 'company_icl', subscription_status: 'active' },
    });
    const tiers = bodyOf(await at.get('/api/me/organizations').set(ann.as))['organizations'] as Body[];
    expect(tiers.find(({ organization_id }) => organization_id === paying.organization_id)).toMatchObject({
      ...{ membership_tier: 'company_icl', membership_tier_label: 'Partner' },
    });
  });

  it('[R8.members] people see what they asked for and take it back while it is pending', async () => {
    const [of, other] = [await company(), await company()];
    const ann = await person();
    const requestId = await ask(of, ann);
    const approved = await ask(other, ann);
    await approve(other, approved, 'member');
    const own = async () => bodyOf(await at.get('/api/me/join-requests').set(ann.as))['join_requests'] as Body[];
    expect(Object.fromEntries((await own()).map((row) => [row['organization_id'], row]))).toEqual({
      [of.id]: {
        ...{ id: requestId, organization_id: of.id, organization_name: 'Members', status: 'pending', role: null },
        ...{ created_at: expect.any(String) as string, decided_at: null },
      },
      [other.id]: {
        ...{
          id: approved,
          organization_id: other.id,
          organization_name: 'Members',
          status: 'approved',
          role: 'member',
        },
        ...{ created_at: expect.any(String) as string, decided_at: expect.any(String) as string },
      },
    });
    const withdraw = (id: string, who = ann) => at.send('delete', `/api/me/join-requests/${id}`).set(who.as);
    expect((await withdraw(requestId, of.owner)).status).toBe(404);
    expect((await withdraw(requestId)).body).toMatchObject({ status: 'withdrawn' });
    expect((await withdraw(requestId)).body).toMatchObject({ status: 'withdrawn' });
    const late = await approve(of, requestId, 'member');
    expect([late.status, bodyOf(late)['error']]).toEqual([409, 'this request is withdrawn already']);
    const decided = await withdraw(approved);
    expect(decided.status).toBe(409);
    expect(bodyOf(decided)['error']).toContain(`DELETE ${other.path}/members/${ann.user_id}`);
    expect(await ask(of, ann)).toMatch(/^join_/);
  });

  it('[R9] a member who is no admin is told so when registering an agent, and nobody is told to ask for what they have', async () => {
    const of = await company();
    const domain = of.owner.email.slice(2);
    const ann = await person(`ann@${domain}`);
    await approve(of, await ask(of, ann), 'member');
    const refused = await at.post('/api/me/agents', { url: `https://a.${domain}`, type: 'sales' }).set(ann.as);
    expect([refused.status, bodyOf(refused)['error']]).toEqual([
      403,
      expect.stringContaining('owners and admins') as string,
    ]);
  });

  it('[R8] approving again with another role says how a role is changed', async () => {
    const of = await company();
    const ann = await person();
    const requestId = await ask(of, ann);
    await approve(of, requestId, 'member');
    const again = await approve(of, requestId, 'admin');
    expect(again.status).toBe(409);
    expect(bodyOf(again)['error']).toContain(`PATCH ${of.path}/members/${ann.user_id}`);
  });

  it('[R7.profile] an organization has its member card from the first instant, adopted ones and those of before too', async () => {
    const cardAt = async (domain: string) => bodyOf(await at.get(`/api/registry/operator?domain=${domain}`))['member'];
    const of = await company();
    expect(await cardAt(of.owner.email.slice(2))).toEqual({
      ...{ slug: expect.stringMatching(/^members/) as string, display_name: 'Members' },
    });
    const adopter = await person();
    const domain = adopter.email.slice(2);
    await at.organization({ state: 'prospect', corporate_domain: domain, name: 'From the crawl' });
    await at.post('/api/organizations', { organization_name: 'Mine' }).set(adopter.as);
    expect(await cardAt(domain)).toMatchObject({ display_name: 'From the crawl' });
    const old = { corporate_domain: `old-${randomUUID()}.example`, domain_verified_by: 'email' as const };
    await at.organization({ ...old, owner_id: 'user_old', name: 'Of before' });
    expect(await cardAt(old.corporate_domain)).toMatchObject({ display_name: 'Of before' });
    const unowned = { corporate_domain: `u-${randomUUID()}.example`, domain_verified_by: 'operator' as const };
    await at.organization(unowned);
    expect(await cardAt(unowned.corporate_domain)).toBeNull();
  });
});
