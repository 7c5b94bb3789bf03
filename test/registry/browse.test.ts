import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RegistryClient } from '#adcp-buyer/registry';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { serveApp } from './support/serve-app.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const DAY_MS = 24 * 3_600_000;
const SELLER = 'https://a-seller.example';
const pad = (n: number) => String(n).padStart(2, '0');

describeOnStores('browsing on %s', (kind) => {
  let at: Registry;
  let served: Awaited<ReturnType<typeof serveApp>>;
  let stranger: InstanceType<typeof RegistryClient>;
  let member: InstanceType<typeof RegistryClient>;
  let memberKey = '';

  beforeAll(async () => {
    at = await startRegistry(kind);
    served = await serveApp(at.app);
    const plain = await at.organization({ name: 'Plain' });
    const paying = await at.organization({ membership_tier: 'company_standard', subscription_status: 'active' });
    memberKey = await at.apiKey(paying.organization_id);
    stranger = new RegistryClient({ baseUrl: served.origin, apiKey: await at.apiKey(plain.organization_id) });
    member = new RegistryClient({ baseUrl: served.origin, apiKey: memberKey });
    const now = toTimestamp(at.clock.now());
    const agent = (url: string, type: Agent['type'], visibility: Agent['visibility']): Agent => ({
      ...{ agent_id: randomUUID(), url, organization_id: organizationId('org_operator'), name: url, type, visibility },
      ...{ created_at: now, updated_at: now, revision: 1 },
    });
    await at.store
      .collection(agents)
      .insertMany([
        agent(SELLER, 'sales', 'public'),
        agent('https://b-creative.example', 'creative', 'public'),
        agent('https://c-seller.example', 'sales', 'public'),
        agent('https://0-members.example', 'sales', 'members_only'),
        agent('https://0-private.example', 'sales', 'private'),
      ]);
    for (let n = 0; n < 60; n++) await publish(`p${pad(n)}.example`, n < 50 ? 'adagents_json' : 'hosted');
    await entry('p00.example', SELLER, { property_ids: ['app'] });
    await entry('p00.example', SELLER, { property_ids: ['tv'] });
    await entry('p01.example', SELLER, { effective_until: toTimestamp(at.clock.now() - DAY_MS) });
    for (const n of [2, 3, 4]) await entry(`p0${n}.example`, SELLER, {});
    await entry('p02.example', 'https://0-private.example', {});
  });
  afterAll(async () => {
    await served.close();
    await at.close();
  });

  const publish = (publisher_domain: string, source: 'adagents_json' | 'hosted') =>
    at.store.collection(publishers).insert({
      ...{ publisher_domain, source, verified: true, revision: 1 },
      properties: ['app', 'tv'].map((property_id) => ({
        ...{ property_id, property_type: 'mobile_app', name: property_id, tags: [] },
        identifiers: [{ type: 'ios_bundle', value: `com.${property_id}` }],
      })),
      ...{ created_at: toTimestamp(at.clock.now()), updated_at: toTimestamp(at.clock.now()) },
    });
  const entry = (publisher_domain: string, url: string, more: object) => {
    const entry_json = JSON.stringify({ url, authorized_for: 'display', ...more });
    return at.store.collection(authorizations).insert({
      authorization_id: authorizationId(publisher_domain, url, 'adagents_json', entry_json),
      ...{ publisher_domain, agent_url: url, authorized_for: 'display', source: 'adagents_json' },
      ...{ entry_id: entry_json.slice(0, 200), entry_json, source_url: `https://${publisher_domain}/adagents.json` },
      ...{ seen_at: toTimestamp(at.clock.now()), revision: 1 },
    });
  };
  const urls = (list: readonly { url: string }[]) => list.map(({ url }) => url);
  const pathOf = (url: string) => `/api/registry/lookup/agent/${encodeURIComponent(url)}/domains`;
  interface DomainsPage {
    domains: string[];
    cursor: string | null;
  }

  it("[R15.browse] lists public agents for the public client, members' ones only to members, private ones to nobody", async () => {
    const all = await stranger.listAgents();
    expect(urls(all.agents)).toEqual([SELLER, 'https://b-creative.example', 'https://c-seller.example']);
    expect(all).toMatchObject({ count: 3, sources: { registered: 3, discovered: 0 } });
    const sellers = await stranger.listAgents({ type: 'sales', health: true });
    expect(urls(sellers.agents)).toEqual([SELLER, 'https://c-seller.example']);
    expect(sellers.count).toBe(2);
    const shown = await at.get('/api/registry/agents?type=sales').set('Authorization', `Bearer ${memberKey}`);
    expect(urls((shown.body as { agents: { url: string }[] }).agents)).toEqual([
      SELLER,
      'https://c-seller.example',
      'https://0-members.example',
    ]);
  });

  it('[R15.browse] pages the public client through every agent once, across visibilities', async () => {
    for (const [client, expected] of [
      [stranger, 3],
      [member, 4],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await client.searchAgents({ limit: 1, ...(cursor != null && { cursor }) });
        seen.push(...urls(page.results));
        expect(page.has_more).toBe(page.cursor !== null);
        cursor = page.cursor;
      } while (cursor !== null);
      expect(seen).toHaveLength(expected);
      expect(new Set(seen).size).toBe(expected);
    }
    const { results } = await stranger.searchAgents({ type: 'creative' });
    expect(results).toMatchObject([{ url: 'https://b-creative.example', match: { matched_filters: ['type'] } }]);
  });

  it('[R15.browse] lists publishers in pages, by source, with their number', async () => {
    const first = await stranger.listPublishers();
    expect(first).toMatchObject({ count: 60, sources: { registered: 10, discovered: 50 }, has_more: true });
    expect(first.publishers).toHaveLength(50);
    const { cursor } = first as unknown as { cursor: string };
    const rest = await at.get(`/api/registry/publishers?cursor=${encodeURIComponent(cursor)}`);
    const last = rest.body as { publishers: { domain: string }[]; cursor: null };
    expect([...first.publishers, ...last.publishers].map(({ domain }) => domain)).toEqual(
      Array.from({ length: 60 }, (_, n) => `p${pad(n)}.example`),
    );
    expect(last.cursor).toBeNull();
    const hosted = await at.get('/api/registry/publishers?source=hosted&limit=3');
    expect(hosted.body).toMatchObject({
      ...{ count: 10, sources: { registered: 10, discovered: 0 }, has_more: true },
      publishers: [
        { domain: 'p50.example', source: 'registered', property_count: 2, seen_at: expect.any(String) as string },
        {},
        {},
      ],
    });
  });

  it('[R15.browse] counts public agents and publishers by kind', async () => {
    expect(await stranger.getRegistryStats()).toMatchObject({
      agents: { total: 3, by_type: { sales: 2, creative: 1, signals: 0 } },
      publishers: { total: 60, by_source: { adagents_json: 50, hosted: 10, catalog: 0 } },
    });
  });

  it('[R15.browse] looks up who may sell for a publisher now, from which file, until when, and seen when', async () => {
    const found = await stranger.lookupDomain('WWW.p02.example');
    expect(found).toMatchObject({
      ...{ domain: 'p02.example', known: true, sales_agents_claiming: [] },
      authorized_agents: [
        { url: 'https://0-private.example', source: 'discovered' },
        {
          ...{ url: SELLER, source: 'registered', registry_source: 'adagents_json', authorized_for: 'display' },
          ...{ source_url: 'https://p02.example/adagents.json', valid_until: null },
          seen_at: toTimestamp(at.clock.now()),
        },
      ],
    });
    const several = await stranger.lookupDomains(['p01.example', 'nobody.example']);
    expect(several).toMatchObject({
      'p01.example': { known: true, authorized_agents: [] },
      'nobody.example': { known: false, authorized_agents: [] },
    });
  });

  it('[R15.browse] pages through the publishers of an agent, each once, without those that are over', async () => {
    expect(await stranger.getAgentDomains(SELLER)).toMatchObject({
      ...{ agent_url: SELLER, count: 4, cursor: null },
      domains: ['p00.example', 'p02.example', 'p03.example', 'p04.example'],
    });
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const page = (await at.get(`${pathOf(SELLER)}?limit=1&cursor=${cursor}`)).body as DomainsPage;
      seen.push(...page.domains);
      cursor = page.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(['p00.example', 'p02.example', 'p03.example', 'p04.example']);
  });

  it('[R15.browse] tells the publishers of an agent in the words of the public directory, with what it may sell of them', async () => {
    const domains = ['directory-a.example', 'directory-b.example'];
    const agent = 'https://directory.example';
    for (const publisher_domain of domains) {
      await at.store.collection(publishers).insert({
        ...{ publisher_domain, source: 'adagents_json', verified: true, revision: 1 },
        properties: ['web', 'app'].map((property_id) => ({
          ...{ property_id, property_type: 'website', name: property_id, tags: [] },
          identifiers: [{ type: 'domain', value: `${property_id}.${publisher_domain}` }],
        })),
        ...{ created_at: toTimestamp(at.clock.now()), updated_at: toTimestamp(at.clock.now()) },
      });
      const isFirst = publisher_domain === domains[0];
      await entry(
        publisher_domain,
        agent,
        isFirst ? { authorization_type: 'property_ids', property_ids: ['app'] } : {},
      );
    }
    const path = `/v1/agents/${encodeURIComponent(agent)}/publishers`;
    const shared = { discovery_method: 'direct', status: 'authorized', properties_total: 2 };
    const last_verified_at = toTimestamp(at.clock.now());
    const page = await at.get(`${path}?include=properties&limit=1`);
    expect(page.body).toMatchObject({
      ...{ agent_url: agent, directory_indexed_at: last_verified_at, next_cursor: domains[0] },
      publishers: [{ ...shared, publisher_domain: domains[0], properties_authorized: 1, property_ids: ['app'] }],
    });
    const rest = await at.get(`${path}?cursor=${domains[0]}&status=authorized`);
    expect(rest.body).toMatchObject({
      publishers: [{ ...shared, publisher_domain: domains[1], properties_authorized: 2, last_verified_at }],
      next_cursor: null,
    });
    const tag = String(rest.headers['etag']);
    expect((await at.get(`${path}?cursor=${domains[0]}&status=authorized`).set('If-None-Match', tag)).status).toBe(304);
    const later = toTimestamp(at.clock.now() + 1000);
    expect((await at.get(`${path}?since=${later}`)).body).toMatchObject({ publishers: [], directory_indexed_at: null });
    expect((await at.get('/v1/agents/https%3A%2F%2Fnobody.example/publishers')).status).toBe(404);
  });

  it('[R15.browse] names 10,000 properties on a page, and a million characters of them, and counts all', async () => {
    const agent = 'https://many.example';
    const sizes: [domain: string, count: number, length: number][] = [
      ['many-a.example', 6000, 6],
      ['many-b.example', 6000, 6],
      ['many-c.example', 10_001, 6],
      ['many-d.example', 6000, 200],
      ['many-e.example', 10, 6],
    ];
    const now = toTimestamp(at.clock.now());
    for (const [publisher_domain, count, length] of sizes) {
      await at.store.collection(publishers).insert({
        ...{ publisher_domain, source: 'adagents_json', verified: true, revision: 1, created_at: now, updated_at: now },
        properties: Array.from({ length: count }, (_, n) => ({
          ...{ property_id: String(n).padStart(length, 'p'), property_type: 'website', name: '', tags: [] },
          identifiers: [],
        })),
      });
      await entry(publisher_domain, agent, {});
    }
    interface Page {
      publishers: {
        publisher_domain: string;
        properties_authorized: number;
        property_ids?: string[];
        property_ids_truncated?: true;
      }[];
      next_cursor: string | null;
    }
    const path = `/v1/agents/${encodeURIComponent(agent)}/publishers?limit=200`;
    const counted = (await at.get(path)).body as Page;
    expect(counted.publishers.map((one) => [one.publisher_domain, one.properties_authorized])).toEqual(
      sizes.map(([domain, count]) => [domain, count]),
    );
    expect([counted.next_cursor, counted.publishers.flatMap((one) => one.property_ids ?? [])]).toEqual([null, []]);
    const pages: [string, number, number | undefined, true | undefined][][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = (await at.get(`${path}&include=properties${cursor && `&cursor=${cursor}`}`)).body as Page;
      pages.push(
        page.publishers.map((one) => [
          one.publisher_domain,
          one.properties_authorized,
          one.property_ids?.length,
          one.property_ids_truncated,
        ]),
      );
      cursor = page.next_cursor;
    }
    expect(pages).toEqual([
      [['many-a.example', 6000, 6000, undefined]],
      [['many-b.example', 6000, 6000, undefined]],
      [['many-c.example', 10_001, 10_000, true]],
      [['many-d.example', 6000, 5000, true]],
      [['many-e.example', 10, 10, undefined]],
    ]);
  });

  it('[R15.browse] answers 304 to the tag of a page until the page says something else', async () => {
    const first = await at.get(pathOf(SELLER));
    const tag = String(first.headers['etag']);
    const again = await at.get(pathOf(SELLER)).set('If-None-Match', `W/"x", ${tag}`);
    expect([again.status, again.text]).toEqual([304, '']);
    await entry('p05.example', SELLER, {});
    const changed = await at.get(pathOf(SELLER)).set('If-None-Match', tag);
    expect(changed.status).toBe(200);
    expect((changed.body as DomainsPage).domains).toContain('p05.example');
  });

  describe('refusals', () => {
    it.each([
      ['/api/registry/agents?type=robot', 'type'],
      ['/api/registry/agents?channels=ctv', 'channels'],
      ['/api/registry/agents?cursor=nonsense', 'cursor'],
      ['/api/registry/agents?limit=201', 'limit'],
      ['/api/registry/publishers?cursor=nonsense', 'cursor'],
      ['/api/registry/publishers?source=hosted&source=catalog', 'source: send it once'],
      ['/api/registry/lookup/domain/not%20a%20domain', 'domain'],
      ['/api/registry/lookup/agent/ftp%3A%2F%2Fa.example/domains', 'agentUrl'],
      ['/v1/agents/ftp%3A%2F%2Fa.example/publishers', 'agentUrl'],
      ['/v1/agents/https%3A%2F%2Fa.example/publishers?status=revoked', 'status'],
      ['/v1/agents/https%3A%2F%2Fa.example/publishers?since=yesterday', 'since: send a date-time with an offset'],
      ['/v1/agents/https%3A%2F%2Fa.example/publishers?since=2026-06-30T00:00:00+02:00', '%2B'],
    ])('[R15.browse] refuses %s and names %s', async (path, field) => {
      const answer = await at.get(path);
      expect(answer.status).toBe(400);
      expect((answer.body as { error: string }).error).toContain(field);
    });

    it('[R15.browse] refuses a filter by what is not on record, and a search without a credential', async () => {
      await expect(stranger.searchAgents({ categories: 'news' })).rejects.toThrow(/400|categories/);
    });
  });
});
