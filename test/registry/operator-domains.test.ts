import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { domainClaims } from '../../src/directory/domain-claim/domain-claim.ts';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import { publishOverdue } from '../../src/directory/feed/announcing.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { letGoOfDomain } from '../../src/directory/organization/let-go-of-domain.ts';
import { giveDomain, takeDomain } from '../../src/directory/organization/operator-domains.ts';
import { organizationDomains } from '../../src/directory/organization/organization-domain.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import type { OrganizationId } from '../../src/platform/organization-id.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { organizationId } from '../support/ids.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

describeOnStores('what operators do about domains, on %s', (kind) => {
  let at: Registry;
  const shown: string[] = [];
  /** Done once, before the next agent is stored. */
  let meanwhile: (() => Promise<unknown>) | undefined;
  /** Likewise, before the next row of a further domain is. */
  let atDomain: (() => Promise<unknown>) | undefined;
  /** Likewise, before the next organization is. */
  let atOrganization: (() => Promise<unknown>) | undefined;
  beforeAll(async () => {
    const wrapStore = (store: Store) =>
      withStoreHooks(store, {
        async before({ collection, kind: write }) {
          const work = collection === agents.name && write === 'insert' ? meanwhile : undefined;
          if (work !== undefined) meanwhile = undefined;
          await work?.();
          const taking = collection === organizationDomains.name && write === 'insert' ? atDomain : undefined;
          if (taking !== undefined) atDomain = undefined;
          await taking?.();
          const other = collection === organizations.name && write === 'insert' ? atOrganization : undefined;
          if (other !== undefined) atOrganization = undefined;
          await other?.();
        },
      });
    const resolveTxt = () => Promise.resolve({ records: [...shown], aliases: [] });
    at = await startRegistry(kind, { wrapStore, resolveTxt });
  });
  afterAll(() => at.close());

  const freshDomain = () => `d-${randomUUID()}.example`;
  const deps = (store: Store = at.store) => ({ ...at, store, changeSignal });
  async function person(email = `p@${freshDomain()}`) {
    const sub = randomUUID();
    return { user_id: userIdOf(ISSUER, sub), Authorization: `Bearer ${await at.token({ sub, email })}` };
  }
  async function proved(organization: string, who: { Authorization: string }, domain: string) {
    const path = `/api/organizations/${organization}/claims`;
    const claim = (await at.post(path, { domain, method: 'dns' }).set(who)).body as { id: string; token: string };
    shown.push(claim.token);
    return at.post(`${path}/${claim.id}/verify`).set(who);
  }
  async function company() {
    const domain = freshDomain();
    const owner = await person(`o@${domain}`);
    const made = await at.post('/api/organizations', { organization_name: 'Holder' }).set(owner);
    const { organization } = made.body as { organization: { id: string } };
    return { id: organizationId(organization.id), owner, domain };
  }
  const register = async (who: { Authorization: string }, host: string) =>
    (await at.post('/api/me/agents', { url: `https://${host}`, type: 'sales', visibility: 'public' }).set(who)).status;
  const hostsOf = async (organization_id: OrganizationId) => {
    const { rows } = await at.store.collection(agents).find({ where: { organization_id } });
    return rows.map(({ url }) => new URL(url).hostname).sort();
  };
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => (error as { code?: string }).code,
    );
  const stored = (id: string) => at.store.collection(organizations).get(id);

  it('[R8.released] a domain that was taken is proved by who has it now; agents there go, all others stay', async () => {
    const [gone, next] = [await company(), await company()];
    const further = freshDomain();
    expect((await proved(gone.id, gone.owner, further)).status).toBe(200);
    const kept = `sales.${gone.domain}`;
    for (const host of [kept, further, `a.${further}`]) expect(await register(gone.owner, host)).toBe(201);
    expect(await codeOf(takeDomain(deps(), { organization_id: next.id, domain: further }))).toBe('NOT_FOUND');
    expect(await hostsOf(gone.id)).toHaveLength(3);

    expect(await takeDomain(deps(), { organization_id: gone.id, domain: further })).toBe(2);
    expect(await hostsOf(gone.id)).toEqual([kept]);
    expect((await proved(next.id, next.owner, further)).body).toMatchObject({ outcome: 'domain_added' });
    expect(await register(next.owner, `a.${further}`)).toBe(201);
    expect(await codeOf(takeDomain(deps(), { organization_id: gone.id, domain: further }))).toBe('NOT_FOUND');

    // The first one, too.
    expect(await takeDomain(deps(), { organization_id: gone.id, domain: gone.domain })).toBe(1);
    expect(await stored(gone.id)).toMatchObject({ corporate_domain: null, domain_verified_by: null });
    const told = await at.store
      .collection(feedEvents)
      .find({ where: { subject: `organization/${gone.id}`, is_overtaken: null } });
    expect(JSON.parse(told.rows.at(-1)?.state_json ?? '')).toMatchObject({ domain: null });
    const colleague = await person(`c@${gone.domain}`);
    expect((await at.post('/api/organizations', { organization_name: 'New' }).set(colleague)).status).toBe(201);
  });

  it('[R8.released] an agent whose registration had begun before its domain was taken goes, too', async () => {
    const { id, owner, domain } = await company();
    expect(await register(owner, `kept.${domain}`)).toBe(201);
    meanwhile = () => takeDomain(deps(), { organization_id: id, domain });
    expect(await register(owner, `late.${domain}`)).toBe(403);
    expect([meanwhile, await hostsOf(id)]).toEqual([undefined, []]);
  });

  it('[R8.released] who lets go of a domain has no agents there any more, also after it was killed at any write', async () => {
    let wasReached = true;
    for (let n = 1; wasReached; n++) {
      wasReached = false;
      const { id, owner, domain } = await company();
      const further = freshDomain();
      expect((await proved(id, owner, further)).status).toBe(200);
      for (const host of [`kept.${domain}`, further, `a.${further}`]) expect(await register(owner, host)).toBe(201);
      const dying = withStoreHooks(at.store, {
        before: (write) => {
          if (write.n < n) return;
          wasReached = true;
          throw new Error('killed here');
        },
      });
      const own = await stored(id);
      if (own === undefined) throw new Error('the organization is not there');
      const by = { domain: further, by: owner.user_id };
      await letGoOfDomain(deps(dying), own, by).catch(() => undefined);
      const again = await at.send('delete', `/api/organizations/${id}/domains/${further}`).set(owner);
      expect([204, 404]).toContain(again.status);
      expect(await hostsOf(id), `write ${n}`).toEqual([`kept.${domain}`]);
      const next = await company();
      expect((await proved(next.id, next.owner, further)).body).toMatchObject({ outcome: 'domain_added' });
      expect(await register(next.owner, further)).toBe(201);
    }
  });

  it("[R8.released] who had a domain as a further one has no agents there once it is another's first", async () => {
    const former = await company();
    const further = freshDomain();
    expect((await proved(former.id, former.owner, further)).status).toBe(200);
    expect(await register(former.owner, `a.${further}`)).toBe(201);
    const row = await at.store.collection(organizationDomains).get(further);
    if (row === undefined) throw new Error('the domain is not there');
    // Proved between the look for who has it and the write.
    await at.store.collection(organizationDomains).delete(further);
    atOrganization = () => at.store.collection(organizationDomains).insert({ ...row, revision: 1 });
    const next = await person(`o@${further}`);
    expect((await at.post('/api/organizations', { organization_name: 'Next' }).set(next)).status).toBe(201);
    expect([atOrganization, await hostsOf(former.id)]).toEqual([undefined, []]);
    expect(await at.store.collection(organizationDomains).get(further)).toBeUndefined();
  });

  it('[R8.released] killed at any write, it is done by doing it again', async () => {
    let wasReached = true;
    for (let n = 1; wasReached; n++) {
      wasReached = false;
      const { id, owner, domain } = await company();
      expect(await register(owner, `sales.${domain}`)).toBe(201);
      const dying = withStoreHooks(at.store, {
        before: (write) => {
          if (write.n < n) return;
          wasReached = true;
          throw new Error('killed here');
        },
      });
      await takeDomain(deps(dying), { organization_id: id, domain }).catch(() => undefined);
      await takeDomain(deps(), { organization_id: id, domain }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'NOT_FOUND' });
      });
      at.clock.advance(60_000);
      await publishOverdue(deps());
      expect(await hostsOf(id)).toEqual([]);
      expect(await stored(id)).toMatchObject({ corporate_domain: null });
      const told = await at.store.collection(feedEvents).find({ where: { subject: `organization/${id}` } });
      const last = told.rows.sort((a, b) => a.sequence - b.sequence).at(-1);
      expect(JSON.parse(last?.state_json ?? ''), `write ${n}`).toMatchObject({ domain: null });
    }
  });

  it.each(['its owner lets go of', 'an operator takes'])(
    '[R8.released] a domain that %s is not had again by a claim of before, proved or open, and by a new one it is',
    async (who) => {
      const { id, owner, domain: first } = await company();
      const domain = freshDomain();
      const path = `/api/organizations/${id}/claims`;
      const claims: { id: string; token: string }[] = [];
      for (let n = 0; n < 2; n++) {
        const claim = (await at.post(path, { domain, method: 'dns' }).set(owner)).body as { id: string; token: string };
        shown.push(claim.token);
        claims.push(claim);
        if (n === 0) expect((await at.post(`${path}/${claim.id}/verify`).set(owner)).status).toBe(200);
      }
      expect(claims[1]?.id).not.toBe(claims[0]?.id);
      expect((await proved(id, owner, first)).body).toMatchObject({ outcome: 'domain_confirmed' });
      const release = () => at.send('delete', `/api/organizations/${id}/domains/${domain}`).set(owner);
      if (who === 'an operator takes') await takeDomain(deps(), { organization_id: id, domain });
      else expect((await release()).status).toBe(204);
      for (const claim of claims) expect((await at.post(`${path}/${claim.id}/verify`).set(owner)).status).toBe(404);
      expect(await at.store.collection(organizationDomains).get(domain)).toBeUndefined();
      // Those of its other domains stay.
      expect(await at.store.collection(domainClaims).count({ domain: first, organization_id: id })).toBe(1);
      expect((await proved(id, owner, domain)).body).toMatchObject({ outcome: 'domain_added' });
    },
  );

  it('[R8.released] a claim that is looked for while its domain goes proves nothing', async () => {
    const { id, owner } = await company();
    const domain = freshDomain();
    expect((await proved(id, owner, domain)).status).toBe(200);
    // Another one, of which the look has found the token by then.
    atDomain = () => takeDomain(deps(), { organization_id: id, domain });
    const open = (await at.post(`/api/organizations/${id}/claims`, { domain, method: 'dns' }).set(owner)).body as {
      id: string;
      token: string;
    };
    shown.push(open.token);
    expect((await at.post(`/api/organizations/${id}/claims/${open.id}/verify`).set(owner)).status).toBe(404);
    expect([atDomain, await at.store.collection(organizationDomains).get(domain)]).toEqual([undefined, undefined]);
  });

  it('[R8.released] a company that an operator added is given a domain: its keys register agents, its people claim it', async () => {
    const { organization_id } = await at.organization({ name: 'Added' });
    const key = { Authorization: `Bearer ${await at.apiKey(organization_id)}` };
    const domain = freshDomain();
    expect(await register(key, domain)).toBe(403);
    await giveDomain(deps(), { organization_id, domain });
    await giveDomain(deps(), { organization_id, domain });
    expect(await register(key, `sales.${domain}`)).toBe(201);
    const ann = await person();
    expect((await proved(organization_id, ann, domain)).body).toMatchObject({ outcome: 'owner' });
    expect(await stored(organization_id)).toMatchObject({ owner_id: ann.user_id, domain_verified_by: 'dns' });

    const other = (await at.organization({})).organization_id;
    expect(await codeOf(giveDomain(deps(), { organization_id: other, domain }))).toBe('CONFLICT');
    expect(await codeOf(giveDomain(deps(), { organization_id, domain: freshDomain() }))).toBe('CONFLICT');
    const [prospect, personal] = [
      await at.organization({ state: 'prospect' }),
      await at.organization({ is_personal: true }),
    ];
    for (const one of [prospect, personal])
      expect(await codeOf(giveDomain(deps(), { ...one, domain: freshDomain() }))).toBe('CONFLICT');
    expect(
      await codeOf(giveDomain(deps(), { organization_id: organizationId('org_none'), domain: freshDomain() })),
    ).toBe('NOT_FOUND');
    expect(await codeOf(takeDomain(deps(), { ...prospect, domain }))).toBe('CONFLICT');
    expect(await at.store.collection(organizationDomains).get(domain)).toBeUndefined();
  });

  /** Does something once, after the look for who has a domain and right before it is written for an organization. */
  const meddling = (organization_id: OrganizationId, work: () => Promise<unknown>) => {
    let isDone = false;
    const store = withStoreHooks(at.store, {
      async before({ collection, kind: write, key }) {
        if (isDone || collection !== organizations.name || write !== 'update' || key !== organization_id) return;
        isDone = true;
        await work();
      },
    });
    return { store, isDone: () => isDone };
  };

  it('[R8.released] a domain that became another company’s first at that instant is not given', async () => {
    const { organization_id } = await at.organization({ name: 'Late' });
    const domain = freshDomain();
    const rival = await person(`o@${domain}`);
    const { store, isDone } = meddling(organization_id, async () => {
      expect((await at.post('/api/organizations', { organization_name: 'First' }).set(rival)).status).toBe(201);
      expect(await register(rival, `a.${domain}`)).toBe(201);
    });
    expect(await codeOf(giveDomain(deps(store), { organization_id, domain }))).toBe('CONFLICT');
    expect([isDone(), await stored(organization_id)]).toMatchObject([true, { corporate_domain: null }]);
    expect(await register(rival, `b.${domain}`)).toBe(201);
    const key = { Authorization: `Bearer ${await at.apiKey(organization_id)}` };
    expect(await register(key, `c.${domain}`)).toBe(403);
  });

  it('[R8.released] a domain that was proved as a further one at that instant is lost to who was given it', async () => {
    const { organization_id } = await at.organization({ name: 'Given' });
    const [other, domain] = [await company(), freshDomain()];
    const { store, isDone } = meddling(organization_id, async () => {
      expect((await proved(other.id, other.owner, domain)).body).toMatchObject({ outcome: 'domain_added' });
      for (const host of [`a.${domain}`, `kept.${other.domain}`]) expect(await register(other.owner, host)).toBe(201);
    });
    expect(await codeOf(giveDomain(deps(store), { organization_id, domain }))).toBe('done');
    expect([isDone(), await stored(organization_id)]).toMatchObject([true, { corporate_domain: domain }]);
    expect(await hostsOf(other.id)).toEqual([`kept.${other.domain}`]);
    expect(await at.store.collection(organizationDomains).get(domain)).toBeUndefined();
    const key = { Authorization: `Bearer ${await at.apiKey(organization_id)}` };
    expect(await register(key, `b.${domain}`)).toBe(201);
  });
});
