import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { organizations } from '../../src/directory/organization/organization.ts';
import { users } from '../../src/directory/user/user.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';

import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { describeOnStores } from '../support/stores.ts';

interface Person {
  token: string;
  user_id: string;
  email: string;
}

describeOnStores('organizations on %s', (kind) => {
  let at: Registry;

  beforeAll(async () => {
    at = await startRegistry(kind);
  });
  afterAll(() => at.close());

  const freshDomain = () => `c-${randomUUID()}.example`;
  async function person(email = `p@${freshDomain()}`, email_verified = true): Promise<Person> {
    const sub = randomUUID();
    return { token: await at.token({ sub, email, email_verified }), user_id: userIdOf(ISSUER, sub), email };
  }
  const as = (who: Person) => `Bearer ${who.token}`;
  const create = (who: Person, body: object) => at.post('/api/organizations', body).set('Authorization', as(who));
  const domainOf = (who: Person) => who.email.slice(who.email.indexOf('@') + 1);
  const stored = async (corporate_domain: string) =>
    (await at.store.collection(organizations).find({ where: { corporate_domain } })).rows;

  describe('POST /api/organizations', () => {
    it('[R7] [C.endpoints.organizations] [C.states.adoption.none] creates one with 201, its caller as owner, the domain verified by e-mail, and what was accepted', async () => {
      const who = await person();
      const answer = await create(who, {
        organization_name: '  Acme\u0065\u0301 & Söhne ',
        company_type: 'agency',
        revenue_tier: '1m_5m',
        marketing_opt_in: true,
      }).set('X-Forwarded-For', '198.51.100.4');
      expect(answer.status).toBe(201);
      const [row] = await stored(domainOf(who));
      expect(answer.body).toEqual({ success: true, organization: { id: row?.organization_id, name: 'Acmeé & Söhne' } });
      expect(row).toMatchObject({
        state: 'active',
        owner_id: who.user_id,
        domain_verified_by: 'email',
        company_type: 'agency',
        revenue_tier: '1m_5m',
        membership_tier: null,
        consent: {
          user_id: who.user_id,
          address: '198.51.100.4',
          terms_version: '2026-01',
          privacy_version: '2025-11',
        },
      });
      expect(row?.consent?.accepted_at).toBe(row?.created_at);
    });

    it('[R7] [C.states.adoption.prospect] adopts a prospect with 200 instead of making a second one', async () => {
      const who = await person();
      const prospect = await at.organization({
        state: 'prospect',
        corporate_domain: domainOf(who),
        name: 'From the crawl',
      });
      const answer = await create(who, { organization_name: 'Mine' });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ id: prospect.organization_id, name: 'From the crawl', adopted: true });
      expect(await stored(domainOf(who))).toMatchObject([
        { state: 'active', owner_id: who.user_id, domain_verified_by: 'email' },
      ]);
    });

    it('[R7] [C.states.adoption.active] [C.errors.claimed] answers 409 with the existing id when the domain is claimed', async () => {
      const who = await person();
      const first = await create(who, { organization_name: 'First' });
      const answer = await create(await person(`other@${domainOf(who)}`), { organization_name: 'Second' });
      expect(answer.status).toBe(409);
      const { id } = (first.body as { organization: { id: string } }).organization;
      expect(answer.body).toEqual({
        error: expect.stringContaining(`/api/organizations/${id}/join-requests`) as string,
        existing_org_id: id,
      });
    });

    it.each(['created', 'adopted'])('[R7] of 20 at once for one domain, one owns what was %s', async (how) => {
      const domain = freshDomain();
      if (how === 'adopted') await at.organization({ state: 'prospect', corporate_domain: domain });
      const people = await Promise.all(Array.from({ length: 20 }, (_, i) => person(`p${i}@${domain}`)));
      const answers = await Promise.all(people.map((who) => create(who, { organization_name: 'Race' })));
      const winners = answers.flatMap((answer, i) => (answer.status < 300 ? [i] : []));
      expect(winners).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
      const rows = await stored(domain);
      expect(rows).toHaveLength(1);
      expect(rows[0]?.owner_id).toBe(people[winners[0] ?? -1]?.user_id);
      const ids = answers.flatMap((answer) => (answer.body as { existing_org_id?: string }).existing_org_id ?? []);
      expect(new Set(ids)).toEqual(new Set([rows[0]?.organization_id]));
    });

    it('[R7] [C.limits.personal] gives one personal workspace, without a domain, also to a free-mail user; a second answers 409', async () => {
      const who = await person('somebody@gmail.com');
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => create(who, { organization_name: 'Me', is_personal: true })),
      );
      expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409]);
      const created = answers.find((answer) => answer.status === 201)?.body as { organization: { id: string } };
      expect(await at.store.collection(organizations).get(created.organization.id)).toMatchObject({
        is_personal: true,
        corporate_domain: null,
        domain_verified_by: null,
      });
    });

    it.each([
      'a@gmail.com',
      'a@GMail.com',
      'a@yahoo.co.uk',
      'a@mail.ru',
      'a@sub.gmx.de',
      'a@mail2world.com',
      'a@posteo.de',
      'a@users.noreply.github.com',
      'a@co.uk',
      'a@localhost',
      'a@192.0.2.1',
    ])('[R7] refuses a company for %s with 400', async (email) => {
      const answer = await create(await person(email), { organization_name: 'X' });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: expect.stringContaining('corporate e-mail') as string });
    });

    it('[R7] refuses a company for an address that the issuer has not verified', async () => {
      expect((await create(await person(undefined, false), { organization_name: 'X' })).status).toBe(400);
    });

    it.each([
      ['nothing', undefined],
      ['only spaces', '   '],
      ['201 characters', 'x'.repeat(201)],
      ['a control character', 'a\u0000b'],
      ['a line break', 'a\nb'],
      ['markup', '<b>Acme</b>'],
      ['an entity', 'a&lt;b'],
      ['text turned around', 'a\u202eb'],
      ['a number', 7],
    ])('[R7] refuses a name with %s', async (_what, organization_name) => {
      const answer = await create(await person(), { organization_name });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ field: 'organization_name' });
    });

    it.each(['x', 'x'.repeat(200), '😀'.repeat(200), 'Ħéllo 世界', 'نمی‌خواهم'])(
      '[R7] [C.limits.organization-name] takes the name %s',
      async (name) => {
        expect((await create(await person(), { organization_name: name })).status).toBe(201);
      },
    );

    it('[C.resources.organization-request] sets neither tier nor domain from the body', async () => {
      const who = await person();
      await create(who, {
        organization_name: 'X',
        membership_tier: 'company_leader',
        corporate_domain: 'other.example',
      });
      expect(await stored(domainOf(who))).toMatchObject([{ membership_tier: null, subscription_status: null }]);
      expect(await stored('other.example')).toEqual([]);
    });

    it.each([{ company_type: 'bank' }, { revenue_tier: '1m' }, { is_personal: 'yes' }, { marketing_opt_in: 1 }])(
      'refuses %j with 400',
      async (body) => {
        expect((await create(await person(), { organization_name: 'X', ...body })).status).toBe(400);
      },
    );

    it('[C.resources.organization-opt-in] records the marketing opt-in once and never over', async () => {
      const who = await person();
      const optIn = async () => (await at.store.collection(users).get(who.user_id))?.marketing_opt_in;
      await create(who, { organization_name: 'X' });
      expect(await optIn()).toBeNull();
      await create(who, { organization_name: 'X', is_personal: true, marketing_opt_in: false });
      expect(await optIn()).toBe(false);
      await create(who, { organization_name: 'X', is_personal: true, marketing_opt_in: true });
      expect(await optIn()).toBe(false);
    });

    it('[C.auth.required] needs a credential, and a person: 401 and 403', async () => {
      const none = await at.post('/api/organizations', { organization_name: 'X' });
      expect(none.status).toBe(401);
      expect(none.headers['www-authenticate']).toBe(
        'Bearer resource_metadata="https://registry.test.example/.well-known/oauth-protected-resource/api"',
      );
      const key = await at.apiKey((await at.organization({})).organization_id);
      const byKey = await at
        .post('/api/organizations', { organization_name: 'X' })
        .set('Authorization', `Bearer ${key}`);
      expect(byKey.status).toBe(403);
    });

    it('[R14] [C.limits.organizations-rate] counts 15 refused attempts an hour per user, from any address, and no successful ones', async () => {
      const who = await person('somebody@gmail.com');
      expect((await create(who, { organization_name: 'Me', is_personal: true })).status).toBe(201);
      for (let i = 0; i < 15; i++) expect((await create(who, { organization_name: 'X' })).status).toBe(400);
      const refused = await create(who, { organization_name: 'X' });
      expect(refused.status).toBe(429);
      const { error, retry_after } = refused.body as { error: string; retry_after: number };
      expect(error).toContain('at most 15 refused requests an hour');
      expect(retry_after).toBeGreaterThan(3500);
      expect(refused.headers['retry-after']).toBe(String(retry_after));
      expect((await create(await person(), { organization_name: 'X' })).status).toBe(201);
    });
  });

  describe('join requests', () => {
    async function company(): Promise<{ owner: Person; id: string }> {
      const owner = await person();
      const created = await create(owner, { organization_name: 'Joinable' });
      return { owner, id: (created.body as { organization: { id: string } }).organization.id };
    }
    const ask = (who: Person, id: string) =>
      at.post(`/api/organizations/${id}/join-requests`).set('Authorization', as(who));
    const list = (who: Person, id: string) =>
      at.get(`/api/organizations/${id}/join-requests`).set('Authorization', as(who));
    const decide = (who: Person, id: string, requestId: string, verdict: 'approve' | 'reject', role?: string) =>
      at
        .post(
          `/api/organizations/${id}/join-requests/${requestId}/${verdict}`,
          role === undefined ? undefined : { role },
        )
        .set('Authorization', as(who));
    const idIn = (answer: { body: unknown }) => (answer.body as { id: string }).id;

    it('[R8] [C.endpoints.join-requests] are made with 201 and shown to the owner', async () => {
      const { owner, id } = await company();
      const who = await person();
      const answer = await ask(who, id);
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: expect.any(String) as string,
        organization_id: id,
        status: 'pending',
        created_at: expect.any(String) as string,
      });
      expect((await list(owner, id)).body).toMatchObject({
        join_requests: [{ id: idIn(answer), email: who.email, status: 'pending' }],
        has_more: false,
      });
    });

    it('[R8] answer 409 while one is pending, also when asked twenty times at once', async () => {
      const { id } = await company();
      const who = await person();
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(who, id)));
      expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
      expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    });

    it('[R8] once approved make a member, who then has nothing to ask', async () => {
      const { owner, id } = await company();
      const who = await person();
      const requestId = idIn(await ask(who, id));
      expect((await decide(owner, id, requestId, 'approve', 'owner')).body).toMatchObject({
        status: 'approved',
        role: 'owner',
      });
      expect((await list(who, id)).status).toBe(200);
      expect((await ask(who, id)).status).toBe(409);
      expect((await decide(owner, id, requestId, 'approve', 'owner')).status).toBe(200);
      expect((await decide(owner, id, requestId, 'reject')).status).toBe(409);
    });

    it('[R8] once rejected leave no membership, and may be made again', async () => {
      const { owner, id } = await company();
      const who = await person();
      const requestId = idIn(await ask(who, id));
      expect((await decide(owner, id, requestId, 'reject')).body).toMatchObject({ status: 'rejected', role: null });
      expect((await list(who, id)).status).toBe(403);
      expect((await ask(who, id)).status).toBe(201);
    });

    it('[R8] are for owners only to list and decide: not for strangers, members, or owners of another', async () => {
      const { owner, id } = await company();
      const elsewhere = await company();
      const [asker, member] = [await person(), await person()];
      const requestId = idIn(await ask(asker, id));
      await decide(owner, id, idIn(await ask(member, id)), 'approve', 'member');
      for (const who of [asker, member, elsewhere.owner]) {
        expect((await list(who, id)).status).toBe(403);
        expect((await decide(who, id, requestId, 'approve', 'owner')).status).toBe(403);
        expect((await decide(who, id, requestId, 'reject')).status).toBe(403);
      }
      expect((await decide(elsewhere.owner, elsewhere.id, requestId, 'approve', 'owner')).status).toBe(404);
      expect((await decide(owner, id, requestId, 'approve', 'king')).status).toBe(400);
      expect((await at.get(`/api/organizations/${id}/join-requests`)).status).toBe(401);
    });

    it("[R8] [T5] are refused for a prospect (409), and for another's personal workspace as for an unknown organization (404)", async () => {
      const who = await person();
      const personal = await at.organization({ is_personal: true, personal_owner_id: randomUUID() });
      const prospect = await at.organization({ state: 'prospect', corporate_domain: freshDomain() });
      const unknown = await ask(who, 'org_none');
      expect(unknown.status).toBe(404);
      expect((await ask(who, prospect.organization_id)).status).toBe(409);
      const refused = await ask(who, personal.organization_id);
      expect([refused.status, refused.body as unknown]).toEqual([404, unknown.body as unknown]);
    });
  });
});
