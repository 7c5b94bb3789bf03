import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import { publishOverdue } from '../../src/directory/feed/announcing.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
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
  beforeAll(async () => {
    const wrapStore = (store: Store) =>
      withStoreHooks(store, {
        async before({ collection, kind: write }) {
          const work = collection === agents.name && write === 'insert' ? meanwhile : undefined;
          if (work !== undefined) meanwhile = undefined;
          await work?.();
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
});
