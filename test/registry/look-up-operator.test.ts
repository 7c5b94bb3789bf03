import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import { memberProfiles } from '../../src/directory/member-profile/member-profile.ts';
import type { NewOrganization, Organization } from '../../src/directory/organization/organization.ts';
import { resolveTier } from '../../src/directory/organization/tier.ts';

import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { describeOnStores } from '../support/stores.ts';

const VISIBILITIES = ['public', 'members_only', 'private'] as const;
const PAYING = { membership_tier: 'company_standard', subscription_status: 'active' } as const;
const seen_at = '2026-01-01T00:00:00.000Z';

describeOnStores('GET /api/registry/operator on %s', (kind) => {
  let at: Registry;

  beforeAll(async () => {
    at = await startRegistry(kind);
  });
  afterAll(() => at.close());

  /** A verified operator with one agent of each visibility, the public one authorized by a publisher. */
  async function operator(given: Partial<NewOrganization>, isPublic = true): Promise<Organization> {
    const name = `op-${randomUUID()}`;
    const row = await at.organization({ corporate_domain: `${name}.example`, domain_verified_by: 'email', ...given });
    const { organization_id, corporate_domain } = row;
    await at.store.collection(memberProfiles).insert({
      organization_id,
      slug: name,
      display_name: 'The Operator',
      is_public: isPublic,
      created_at: seen_at,
      revision: 1,
    });
    await at.store.collection(agents).insertMany(
      VISIBILITIES.map((visibility) => ({
        agent_id: randomUUID(),
        url: `https://${visibility.replace('_', '-')}.${corporate_domain ?? ''}`,
        organization_id,
        name: visibility,
        type: 'sales' as const,
        visibility,
        created_at: seen_at,
        updated_at: seen_at,
        revision: 1,
      })),
    );
    const agent_url = `https://public.${corporate_domain ?? ''}`;
    await at.store.collection(authorizations).insert({
      authorization_id: authorizationId('publisher.example', agent_url, 'adagents_json'),
      publisher_domain: 'publisher.example',
      agent_url,
      authorized_for: 'all inventory',
      source: 'adagents_json',
      source_url: 'https://publisher.example/.well-known/adagents.json',
      seen_at,
      revision: 1,
    });
    return row;
  }

  const lookUp = (domain: string | null, scope?: string, credential?: string) => {
    const query = new URLSearchParams({ domain: domain ?? '', ...(scope !== undefined && { scope }) });
    const test = at.get(`/api/registry/operator?${query.toString()}`);
    return credential === undefined ? test : test.set('Authorization', `Bearer ${credential}`);
  };
  const names = (body: unknown) => (body as { agents: { name: string }[] }).agents.map((agent) => agent.name).sort();

  it('[R5.kept] has the same ETag each time, which is answered 304 until the answer is another', async () => {
    const { organization_id, corporate_domain } = await operator({});
    const [first, again, kept] = [
      await lookUp(corporate_domain),
      await lookUp(corporate_domain),
      await lookUp(corporate_domain),
    ];
    const tag = String(first.headers['etag']);
    for (const { headers, text } of [again, kept])
      expect([headers['etag'], headers['content-type'], text]).toEqual([
        tag,
        first.headers['content-type'],
        first.text,
      ]);
    // `fetch` sends no-cache with each ETag that it asks by.
    for (const more of [{}, { 'Cache-Control': 'no-cache', Pragma: 'no-cache' }]) {
      const same = await lookUp(corporate_domain).set({ 'If-None-Match': tag, ...more });
      expect([same.status, same.text]).toEqual([304, '']);
    }
    await at.store.collection(memberProfiles).update(organization_id, (row) => ({ ...row, display_name: 'Another' }));
    const changed = await lookUp(corporate_domain).set('If-None-Match', tag);
    expect([changed.status, changed.headers['etag'] === tag]).toEqual([200, false]);
  });

  describe('who sees what', () => {
    const ALL = ['members_only', 'private', 'public'];
    const NOBODY = ['public'];
    const rows: [who: string, scope: string | undefined, seen: string[]][] = [
      ['anonymous', undefined, NOBODY],
      ['anonymous', 'all', NOBODY],
      ['anonymous', 'public', NOBODY],
      ['anonymous', 'member', NOBODY],
      ['anonymous', 'private', []],
      ['member without the tier', undefined, NOBODY],
      ['member without the tier', 'all', NOBODY],
      ['member without the tier', 'public', NOBODY],
      ['member without the tier', 'member', NOBODY],
      ['member without the tier', 'private', []],
      ['academic member', 'member', NOBODY],
      ['member whose subscription ended', 'member', NOBODY],
      ['member with the tier', undefined, ['members_only', 'public']],
      ['member with the tier', 'all', ['members_only', 'public']],
      ['member with the tier', 'public', NOBODY],
      ['member with the tier', 'member', ['members_only', 'public']],
      ['member with the tier', 'private', []],
      ['owner', undefined, ALL],
      ['owner', 'all', ALL],
      ['owner', 'public', NOBODY],
      ['owner', 'member', ['members_only', 'public']],
      ['owner', 'private', ['private']],
      ['owner without the tier', undefined, ['private', 'public']],
      ['owner without the tier', 'all', ['private', 'public']],
      ['owner without the tier', 'public', NOBODY],
      ['owner without the tier', 'member', NOBODY],
      ['owner without the tier', 'private', ['private']],
      ['owning user', undefined, ALL],
      ['user of no organization', undefined, NOBODY],
    ];
    let paying: Organization;
    let free: Organization;
    const credentials = new Map<string, string | undefined>();

    beforeAll(async () => {
      paying = await operator({ ...PAYING, owner_id: null });
      free = await operator({});
      const key = async (given: Partial<NewOrganization>) => at.apiKey((await at.organization(given)).organization_id);
      credentials.set('anonymous', undefined);
      credentials.set('member without the tier', await key({}));
      credentials.set(
        'academic member',
        await key({ membership_tier: 'individual_academic', subscription_status: 'active' }),
      );
      credentials.set(
        'member whose subscription ended',
        await key({ membership_tier: 'company_leader', subscription_status: 'canceled' }),
      );
      credentials.set('member with the tier', await key(PAYING));
      credentials.set('owner', await at.apiKey(paying.organization_id));
      credentials.set('owner without the tier', await at.apiKey(free.organization_id));
      credentials.set('user of no organization', await at.token({ sub: 'nobody', email: 'n@nowhere.example' }));
    });

    it.each(rows)('[R5] [C.endpoints.operator] %s with scope %s sees %j', async (who, scope, seen) => {
      let credential = credentials.get(who);
      let domain = who === 'owner without the tier' ? free.corporate_domain : paying.corporate_domain;
      if (who === 'owning user') {
        const { userIdOf } = await import('../../src/directory/oauth/access-token.ts');
        const { ISSUER } = await import('./support/registry.ts');
        domain = (await operator({ ...PAYING, owner_id: userIdOf(ISSUER, 'the-owner') })).corporate_domain;
        credential = await at.token({ sub: 'the-owner', email: 'o@x.example' });
      }
      const answer = await lookUp(domain, scope, credential);
      expect(answer.status).toBe(200);
      expect(names(answer.body)).toEqual(seen);
    });

    it.each(['', 'Public', 'members_only', 'all,private', 'everything'])(
      '[R5] [C.errors.scope] refuses scope %j with 400, whoever asks',
      async (scope) => {
        for (const credential of [undefined, credentials.get('owner')]) {
          const answer = await lookUp(paying.corporate_domain, scope, credential);
          expect(answer.status).toBe(400);
          expect(answer.body).toMatchObject({ error: expect.stringContaining('scope') as string });
        }
      },
    );

    it.each(['unknown key', 'expired token', 'foreign issuer', 'foreign audience', 'other scheme', 'unsigned token'])(
      '[R5, R13] takes no bad credential for anonymous: %s',
      async (what) => {
        const user = { sub: 'u', email: 'u@x.example' };
        const header = {
          'unknown key': `Bearer mk_live_${'x'.repeat(43)}`,
          'expired token': `Bearer ${await at.token({ ...user, expiresIn: -60 })}`,
          'foreign issuer': `Bearer ${await at.token({ ...user, iss: 'https://evil.example' })}`,
          'foreign audience': `Bearer ${await at.token({ ...user, aud: 'https://other.example' })}`,
          'other scheme': 'Basic dTpw',
          'unsigned token': `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"u"}').toString('base64url')}.x`,
        }[what];
        const answer = await at
          .get(`/api/registry/operator?domain=${paying.corporate_domain ?? ''}`)
          .set('Authorization', header ?? '');
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({ error: expect.any(String) as string });
        expect(answer.headers['www-authenticate']).toBe(
          'Bearer resource_metadata="https://registry.test.example/.well-known/oauth-protected-resource/api", error="invalid_token"',
        );
      },
    );
  });

  it('[R5] [C.resources.operator-agents] names publishers that authorize an agent, with what for and from where', async () => {
    const row = await operator({});
    const answer = await lookUp(row.corporate_domain, 'public');
    expect((answer.body as { agents: unknown[] }).agents).toEqual([
      {
        url: `https://public.${row.corporate_domain ?? ''}`,
        name: 'public',
        authorized_by: [
          {
            ...{ publisher_domain: 'publisher.example', authorized_for: 'all inventory', source: 'adagents_json' },
            ...{ valid: true, in_part: false, valid_from: null, valid_until: null, entry_id: null, seen_at },
            source_url: 'https://publisher.example/.well-known/adagents.json',
          },
        ],
      },
    ]);
  });

  it('[C.resources.operator] shows tier and founding membership of a public profile, founding apart from tier', async () => {
    const member = async (given: Partial<NewOrganization>, isPublic: boolean) =>
      ((await lookUp((await operator(given, isPublic)).corporate_domain)).body as { member: object }).member;
    const card = { slug: expect.any(String) as string, display_name: 'The Operator' };
    expect(await member({ ...PAYING, is_founding_member: true }, true)).toEqual({
      ...card,
      membership_tier: 'company_standard',
      membership_tier_label: 'Builder',
      is_founding_member: true,
    });
    expect(await member(PAYING, true)).toMatchObject({ is_founding_member: false });
    expect(await member({ is_founding_member: true }, true)).toEqual({ ...card, is_founding_member: true });
    expect(await member({ ...PAYING, is_founding_member: true }, false)).toEqual(card);
  });

  it('[R5] answers 200 with no member and no agents for a domain it does not know, or one nobody verified', async () => {
    const unverified = await operator({ domain_verified_by: null });
    const prospect = await operator({ state: 'prospect', domain_verified_by: null });
    for (const domain of ['unknown.example', unverified.corporate_domain, prospect.corporate_domain])
      expect((await lookUp(domain)).body).toEqual({ domain, member: null, agents: [] });
  });

  it('[R5] finds a host by its own verified domain, else by the longest one above it', async () => {
    const parent = await operator({});
    const child = await operator({ corporate_domain: `ads.${parent.corporate_domain ?? ''}` });
    const memberOf = async (host: string) =>
      ((await lookUp(host)).body as { domain: string; member: { slug: string } | null }).member?.slug;
    const [slugOfParent, slugOfChild] = [
      await memberOf(parent.corporate_domain ?? ''),
      await memberOf(child.corporate_domain ?? ''),
    ];
    expect(slugOfChild).not.toBe(slugOfParent);
    expect(await memberOf(`www.${parent.corporate_domain ?? ''}`)).toBe(slugOfParent);
    expect(await memberOf(`x.y.ads.${parent.corporate_domain ?? ''}`)).toBe(slugOfChild);
  });

  it('[R5] says the domain back normalized but unstripped, and refuses what is none with 400', async () => {
    expect((await lookUp('HTTPS://WWW.Unknown.example/x')).body).toMatchObject({ domain: 'www.unknown.example' });
    for (const domain of ['', 'no domain', '192.0.2.1', 'localhost']) expect((await lookUp(domain)).status).toBe(400);
    expect((await at.get('/api/registry/operator')).status).toBe(400);
    const nameless = await at.get('/api/registry/operator?domain=a.example&=public');
    expect([nameless.status, nameless.body]).toMatchObject([400, { field: '""' }]);
    const misspelt = await at.get('/api/registry/operator?domain=a.example&scop=public');
    expect([misspelt.status, misspelt.body]).toMatchObject([
      400,
      { field: 'scop', suggestion: expect.any(String) as string },
    ]);
    expect((await at.get('/api/registry/operator?domain=a.example&domain=b.example')).status).toBe(400);
  });

  it('[R14] limits guesses at credentials from one address', async () => {
    const guess = (n: number) =>
      lookUp('a.example', undefined, `mk_live_${String(n).padStart(43, 'y')}`).set('X-Forwarded-For', '203.0.113.9');
    const answers = [];
    for (let i = 0; i < 61; i++) answers.push((await guess(i)).status);
    expect(answers.slice(0, 60).every((status) => status === 401)).toBe(true);
    expect(answers[60]).toBe(429);
  });
});

describe('tiers [R6]', () => {
  const STATUSES = ['active', 'past_due', 'trialing', 'canceled', 'unpaid', 'incomplete', null] as const;
  it.each(STATUSES)('[R6] a subscription that is %s resolves to a tier only while it runs', (subscription_status) => {
    const tier = resolveTier({ membership_tier: 'company_icl', subscription_status });
    const runs = ['active', 'past_due', 'trialing'].includes(subscription_status ?? '');
    expect(tier?.tier).toBe(runs ? 'company_icl' : undefined);
  });

  it.each([
    ['individual_academic', 'Academic', false],
    ['individual_professional', 'Professional', true],
    ['company_standard', 'Builder', true],
    ['company_icl', 'Partner', true],
    ['company_leader', 'Leader', true],
  ] as const)('[R6] %s is called %s; API access: %s', (membership_tier, label, hasApiAccess) => {
    expect(resolveTier({ membership_tier, subscription_status: 'active' })).toEqual({
      tier: membership_tier,
      label,
      hasApiAccess,
    });
  });
});
