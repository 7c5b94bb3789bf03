import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { organizationDomains } from '../../src/directory/organization/organization-domain.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { createResolveTxt } from '../../src/platform/outbound/resolve-txt.ts';
import { serveNames } from '../platform/outbound/support/name-server.ts';
import type { Zone } from '../platform/outbound/support/zone-answers.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { describeOnStores } from '../support/stores.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

type Body = Record<string, unknown>;
interface Person {
  user_id: string;
  as: { Authorization: string };
}
interface Claim {
  id: string;
  token: string;
  place: string;
  path: string;
}

describeOnStores('claims of domains on %s', (kind) => {
  let at: Registry;
  /** What the name server of a test says, where it is, and what the domains' web server answers. */
  let zone: Zone;
  let nameServer: string;
  let origin: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;

  beforeAll(async () => {
    at = await startRegistry(kind, {
      resolveTxt: (name) => createResolveTxt({ servers: [nameServer] })(name),
      claimFileUrl: (domain) => `${origin}/${domain}`,
      sizes: { open_claims: 3, domains: 2 },
    });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    zone = {};
    nameServer = await serveNames(zone);
    ({ origin } = await serveHttp((request, response) => {
      answer(request, response);
    }));
  });

  const freshDomain = () => `d-${randomUUID()}.example`;
  async function person(email = `p@${freshDomain()}`, expiresIn = 600): Promise<Person> {
    const sub = randomUUID();
    const token = await at.token({ sub, email, expiresIn });
    return { user_id: userIdOf(ISSUER, sub), as: { Authorization: `Bearer ${token}` } };
  }
  const bodyOf = (answered: { body: unknown }) => answered.body as Body;
  const start = (id: string, who: Person, domain: string, method = 'dns') =>
    at.post(`/api/organizations/${id}/claims`, { domain, method }).set(who.as);
  async function started(id: string, who: Person, domain: string, method = 'dns'): Promise<Claim> {
    const answered = await start(id, who, domain, method);
    expect(answered.status).toBe(201);
    const claim = answered.body as Claim;
    return { ...claim, path: `/api/organizations/${id}/claims/${claim.id}/verify` };
  }
  const verify = ({ path }: Claim, who: Person) => at.post(path).set(who.as);
  const show = (claim: Claim) => {
    const known = zone[claim.place];
    const txt = typeof known === 'object' ? (known.txt ?? []) : [];
    zone[claim.place] = { txt: [...txt, [claim.token.slice(0, 30), claim.token.slice(30)]] };
  };
  async function company(): Promise<{ id: string; owner: Person }> {
    const owner = await person();
    const made = await at.post('/api/organizations', { organization_name: 'Claims' }).set(owner.as);
    return { id: (bodyOf(made)['organization'] as { id: string }).id, owner };
  }
  const cardAt = async (domain: string) => bodyOf(await at.get(`/api/registry/operator?domain=${domain}`))['member'];
  const stored = (id: string) => at.store.collection(organizations).get(id);
  const seeded = (corporate_domain: string) =>
    at.organization({ corporate_domain, domain_verified_by: 'operator', name: 'Seeded' });

  it('[R8.claims] a seeded organization that nobody owns is theirs who has its domain show the token', async () => {
    const domain = freshDomain();
    const { organization_id: id } = await seeded(domain);
    const ann = await person();
    const claim = await started(id, ann, `https://WWW.${domain}/about`);
    expect(claim).toMatchObject({
      ...{ organization_id: id, domain, method: 'dns', place: `_media-buy-agent.${domain}`, verified_at: null },
      token: expect.stringMatching(/^media-buy-agent-claim=[\w-]{43}$/) as string,
    });
    zone[claim.place] = { txt: [['v=spf1 -all'], [`${claim.token}x`]] };
    const early = await verify(claim, ann);
    expect([early.status, bodyOf(early)['error']]).toEqual([
      ...[
        409,
        `not proved yet: no TXT record of ${claim.place} is the token; a new one may take some minutes to be seen`,
      ],
    ]);
    zone[claim.place] = 'failing';
    expect(bodyOf(await verify(claim, ann))['error']).toContain('name servers');
    expect(await stored(id)).toMatchObject({ owner_id: null });

    zone[claim.place] = { txt: [['v=spf1 -all']] };
    show(claim);
    expect((await verify(claim, await person())).status).toBe(404);
    expect((await verify(claim, ann)).body).toEqual({ id: claim.id, organization_id: id, domain, outcome: 'owner' });
    expect(await stored(id)).toMatchObject({
      ...{ owner_id: ann.user_id, state: 'active', domain_verified_by: 'dns' },
      consent: { user_id: ann.user_id, terms_version: '2026-01', privacy_version: '2025-11' },
    });
    expect(await cardAt(domain)).toMatchObject({ display_name: 'Seeded' });
    const mine = await at.get('/api/me/organizations').set(ann.as);
    expect(bodyOf(mine)['organizations']).toMatchObject([{ organization_id: id, role: 'owner' }]);
    expect((await verify(claim, ann)).body).toMatchObject({ outcome: 'domain_confirmed' });
    expect((await start(id, await person(), domain)).status).toBe(403);
  });

  it('[R8.claims] a prospect is claimed by a file, which must be at its very place', async () => {
    const domain = freshDomain();
    const { organization_id: id } = await at.organization({ state: 'prospect', corporate_domain: domain });
    const ann = await person();
    const claim = await started(id, ann, domain, 'file');
    expect(claim.place).toBe(`https://${domain}/.well-known/media-buy-agent-claim.txt`);
    const outcomes: unknown[] = [];
    const bodies: [number, string, Record<string, string>?][] = [
      [404, claim.token],
      [302, claim.token, { location: `${origin}/elsewhere` }],
      [200, `<p>${claim.token}</p>`],
      [200, `${'x'.repeat(20_000)}\n${claim.token}`],
      [200, `other-claim=1\r\n  ${claim.token}  \r\n`],
    ];
    for (const [status, text, headers] of bodies) {
      answer = (_, response) => response.writeHead(status, headers).end(text);
      outcomes.push((await verify(claim, ann)).status);
    }
    expect(outcomes).toEqual([409, 409, 409, 409, 200]);
    const known = origin;
    origin = 'http://127.0.0.1:1';
    const gone = await verify(await started(id, ann, freshDomain(), 'file'), ann);
    expect(bodyOf(gone)['error']).toMatch(/^not proved yet: http:.* cannot be reached: connection refused$/);
    origin = known;
    expect(await stored(id)).toMatchObject({ owner_id: ann.user_id, state: 'active', domain_verified_by: 'file' });
  });

  it('[R8.claims] of ten who prove one domain at once, one owns the organization', async () => {
    const domain = freshDomain();
    const { organization_id: id } = await seeded(domain);
    const claimants = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const who = await person();
        return { who, claim: await started(id, who, domain) };
      }),
    );
    for (const { claim } of claimants) show(claim);
    const answers = await Promise.all(claimants.map(({ who, claim }) => verify(claim, who)));
    const won = claimants.filter((_, i) => answers[i]?.status === 200);
    expect(won).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ owner_id: won[0]?.who.user_id });
    for (const { status } of answers) expect([200, 403, 409]).toContain(status);
  });

  it('[R8.claims] an organization is claimed by its own domain alone, and none that has an owner by others', async () => {
    const [domain, ann] = [freshDomain(), await person()];
    const { organization_id: id } = await seeded(domain);
    const refused = async (organization: string, asked: string) => (await start(organization, ann, asked)).status;
    expect(await refused(id, freshDomain())).toBe(409);
    expect(await refused(id, `sub.${domain}`)).toBe(409);
    expect(await refused((await at.organization({})).organization_id, freshDomain())).toBe(409);
    expect(await refused((await at.organization({ is_personal: true })).organization_id, freshDomain())).toBe(404);
    expect(await refused((await company()).id, freshDomain())).toBe(403);
    expect(await refused('org_none', domain)).toBe(404);
    for (const bad of ['co.uk', '192.0.2.1', 'localhost', 'not a domain']) expect(await refused(id, bad)).toBe(400);
    expect((await start(id, ann, domain, 'email')).status).toBe(400);
  });

  it('[R8.claims] owners add domains: look-ups and agents follow, and one domain has one organization', async () => {
    const [mine, other] = [await company(), await company()];
    const domain = freshDomain();
    const claim = await started(mine.id, mine.owner, domain);
    const rival = await started(other.id, other.owner, domain);
    [claim, rival].forEach(show);
    expect(await cardAt(domain)).toBeNull();
    expect((await verify(claim, mine.owner)).body).toMatchObject({ domain, outcome: 'domain_added' });
    expect((await verify(claim, mine.owner)).body).toMatchObject({ outcome: 'domain_added' });
    expect(await cardAt(`sales.${domain}`)).toMatchObject({ display_name: 'Claims' });
    const agent = { url: `https://sales.${domain}`, type: 'sales' };
    expect((await at.post('/api/me/agents', agent).set(mine.owner.as)).body).toMatchObject({
      organization_id: mine.id,
    });
    expect((await at.post('/api/me/agents', agent).set(other.owner.as)).status).toBe(403);

    expect((await verify(rival, other.owner)).status).toBe(409);
    expect((await start(other.id, other.owner, domain)).status).toBe(409);
    const colleague = await person(`c@${domain}`);
    const made = await at.post('/api/organizations', { organization_name: 'Same domain' }).set(colleague.as);
    expect([made.status, bodyOf(made)['existing_org_id']]).toEqual([409, mine.id]);

    const path = `/api/organizations/${mine.id}/domains`;
    const listed = bodyOf(await at.get(path).set(mine.owner.as))['domains'] as Body[];
    expect(listed.map((row) => [row['domain'] === domain, row['verified_by']])).toEqual([
      [false, 'email'],
      [true, 'dns'],
    ]);
    expect((await at.get(path).set(other.owner.as)).status).toBe(403);
    const release = (name: unknown, who = mine.owner) => at.send('delete', `${path}/${String(name)}`).set(who.as);
    expect((await release(domain, other.owner)).status).toBe(403);
    expect((await release(listed[0]?.['domain'])).status).toBe(409);
    expect((await release(domain)).status).toBe(204);
    expect((await release(domain)).status).toBe(404);
    expect((await verify(rival, other.owner)).body).toMatchObject({ outcome: 'domain_added' });
  });

  it('[R8.claims] where a domain is the first one of another organization by now, that one has it', async () => {
    const { id, owner } = await company();
    const domain = freshDomain();
    const claim = await started(id, owner, domain);
    show(claim);
    await verify(claim, owner);
    await seeded(domain);
    expect(await cardAt(domain)).toBeNull();
    const listed = await at.get(`/api/organizations/${id}/domains`).set(owner.as);
    expect(bodyOf(listed)['domains']).toHaveLength(1);
    const agent = { url: `https://sales.${domain}`, type: 'sales' };
    expect((await at.post('/api/me/agents', agent).set(owner.as)).status).toBe(403);
    expect((await verify(claim, owner)).status).toBe(409);
  });

  it('[R8.claims] of two domains of which one is the other behind `m.`, the one that is named is let go of', async () => {
    const { id, owner } = await company();
    const domain = freshDomain();
    for (const written of [domain, `www.m.${domain}`]) {
      const claim = await started(id, owner, written);
      show(claim);
      expect((await verify(claim, owner)).status).toBe(200);
    }
    const path = `/api/organizations/${id}/domains`;
    const listed = async () =>
      (bodyOf(await at.get(path).set(owner.as))['domains'] as Body[]).map((one) => one['domain']);
    expect((await listed()).slice(1)).toEqual([domain, `m.${domain}`]);
    for (const status of [204, 404]) {
      expect((await at.send('delete', `${path}/M.${domain}`).set(owner.as)).status).toBe(status);
      expect((await listed()).slice(1)).toEqual([domain]);
    }
  });

  it('[R8.claims] [S2.rows] an organization has so many domains, and a person so many open claims', async () => {
    const { id, owner } = await company();
    const claims = [await started(id, owner, freshDomain()), await started(id, owner, freshDomain())];
    const last = await started(id, owner, freshDomain());
    expect((await start(id, owner, freshDomain())).status).toBe(429);
    claims.forEach(show);
    for (const claim of claims) expect((await verify(claim, owner)).status).toBe(200);
    show(last);
    expect((await verify(last, owner)).status).toBe(429);
    expect(await at.store.collection(organizationDomains).count({ organization_id: id })).toBe(2);
  });

  it('[R8.claims] a proved domain goes before a prospect that only has it on record', async () => {
    const [mine, other] = [await company(), await company()];
    const domain = freshDomain();
    const { organization_id: prospect } = await at.organization({ state: 'prospect', corporate_domain: domain });
    const claim = await started(mine.id, mine.owner, domain);
    show(claim);
    expect((await verify(claim, mine.owner)).body).toMatchObject({ outcome: 'domain_added' });
    expect(await cardAt(domain)).toMatchObject({ display_name: 'Claims' });
    const listed = bodyOf(await at.get(`/api/organizations/${mine.id}/domains`).set(mine.owner.as))['domains'];
    expect(listed).toHaveLength(2);
    const agent = { url: `https://sales.${domain}`, type: 'sales' };
    expect((await at.post('/api/me/agents', agent).set(mine.owner.as)).status).toBe(201);

    expect((await start(prospect, await person(), domain)).status).toBe(409);
    expect((await start(other.id, other.owner, domain)).status).toBe(409);
    const colleague = await person(`c@${domain}`);
    const made = await at.post('/api/organizations', { organization_name: 'Late' }).set(colleague.as);
    expect([made.status, bodyOf(made)['existing_org_id']]).toEqual([409, mine.id]);
    expect(await stored(prospect)).toMatchObject({ state: 'prospect', owner_id: null });
  });

  it('[R8.claims] the same claim again is the open one, so that a lost answer uses up nothing', async () => {
    const { id, owner } = await company();
    const domain = freshDomain();
    const first = await started(id, owner, domain);
    for (let i = 0; i < 5; i++) expect(await started(id, owner, ` ${domain.toUpperCase()} `)).toEqual(first);
    expect((await started(id, owner, domain, 'file')).token).not.toBe(first.token);
    const second = await company();
    expect((await started(second.id, second.owner, domain)).token).not.toBe(first.token);
    show(first);
    expect((await verify(first, owner)).status).toBe(200);
    expect((await started(id, owner, domain)).id).not.toBe(first.id);
  });

  it('[R8.claims] a record that an alias leads to proves a domain within the same registrable domain alone', async () => {
    const { id, owner } = await company();
    const domain = freshDomain();
    const claim = await started(id, owner, `shop.${domain}`);
    const texts = { txt: [[claim.token]] };
    const outcomeOf = async (names: Zone) => {
      for (const name of Object.keys(zone)) zone[name] = 'unknown';
      Object.assign(zone, names);
      return verify(claim, owner);
    };
    const away = await outcomeOf({ [claim.place]: { cname: 'tenants.host.example' }, 'tenants.host.example': texts });
    expect([away.status, bodyOf(away)['error']]).toEqual([
      ...[
        409,
        `not proved yet: ${claim.place} is an alias (CNAME) of a name outside ${domain}; put the TXT record at ${claim.place} itself`,
      ],
    ]);
    const byWay = { [claim.place]: { cname: `a.${domain}` }, [`a.${domain}`]: { cname: 'b.host.example' } };
    expect(
      (await outcomeOf({ ...byWay, 'b.host.example': { cname: `c.${domain}` }, [`c.${domain}`]: texts })).status,
    ).toBe(409);
    expect((await outcomeOf({ [claim.place]: { cname: claim.place, ...texts } })).status).toBe(409);
    expect((await outcomeOf({ [claim.place]: { cname: `A.${domain}` }, [`a.${domain}`]: texts })).status).toBe(200);
  });

  it('[R8.claims] a claim can be verified for a week', async () => {
    const domain = freshDomain();
    const { organization_id: id } = await seeded(domain);
    const ann = await person(undefined, 30 * 86_400);
    const claim = await started(id, ann, domain);
    at.clock.advance(7 * 86_400_000 - 1);
    expect((await verify(claim, ann)).status).toBe(409);
    show(claim);
    at.clock.advance(1);
    expect((await verify(claim, ann)).status).toBe(404);
    expect(await stored(id)).toMatchObject({ owner_id: null });
  });
});
