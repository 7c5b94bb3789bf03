import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { WIDE } from './support/buyer.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const SELLER = 'https://sales.example';
const RIVAL = 'https://rival.example';

describeOnStores("answers under the public registry's paths on %s", (kind) => {
  let at: Registry;
  let publisher: Server;
  let file: object | undefined;
  const paper = `paper-${randomUUID()}.example`;
  const property = (property_id: string, property_type: string, tags: string[]) => ({
    ...{ property_id, property_type, name: property_id, tags },
    identifiers: [{ type: 'ios_bundle', value: `com.${property_id}` }],
  });

  beforeAll(async () => {
    publisher = createServer((_request, response) => {
      if (file === undefined) response.writeHead(500).end();
      else json(response, file);
    });
    await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
    at = await startRegistry(kind, { adAgentsUrl: () => `${origin}/adagents.json`, sizes: WIDE });
    file = {
      authorized_agents: [
        {
          ...{ url: SELLER, authorized_for: 'sport', authorization_type: 'property_tags', property_tags: ['sport'] },
          countries: ['US'],
        },
        {
          ...{ url: RIVAL, authorized_for: 'own', authorization_type: 'inline_properties' },
          properties: [property('inline', 'mobile_app', ['own'])],
        },
        { url: 'https://signals.example', authorized_for: 's', authorization_type: 'signal_ids', signal_ids: ['x'] },
      ],
      properties: [
        property('app', 'mobile_app', ['sport']),
        property('tv', 'ctv_app', ['sport']),
        property('web', 'website', ['news']),
      ],
    };
    expect((await at.post('/api/registry/crawl-request', { domain: paper })).status).toBe(202);
  });
  afterAll(async () => {
    await at.close();
    publisher.closeAllConnections();
    publisher.close();
  });

  const product = async (selector: object, agent_url = SELLER) => {
    const body = { agent_url, publisher_properties: [{ publisher_domain: paper, ...selector }] };
    const { body: answer } = (await at.post('/api/registry/validate/product-authorization', body)) as { body: unknown };
    const { authorized, selectors } = answer as { authorized: boolean; selectors: Record<string, unknown>[] };
    return { authorized, ...selectors[0] };
  };
  const identifier = async (query: Record<string, string>) => {
    const asked = new URLSearchParams({ agent_url: SELLER, identifier_type: 'ios_bundle', ...query });
    return (await at.get(`/api/registry/validate/property-authorization?${asked.toString()}`)) as {
      status: number;
      body: Record<string, unknown>;
    };
  };

  it.each([
    [
      'ids that it may sell',
      { property_ids: ['app', 'tv'] },
      { code: 'authorized_in_part', limited_by: ['countries'] },
    ],
    ['a tag', { tags: ['sport'] }, { code: 'authorized_in_part', properties_count: 2 }],
    ['a tag in the words of adagents.json', { selection_type: 'by_tag', property_tags: ['sport'] }, { refused: [] }],
    ['a type', { property_types: ['ctv_app'] }, { properties_count: 1 }],
    ['a type and a tag', { property_types: ['ctv_app', 'website'], tags: ['sport'] }, { properties_count: 1 }],
  ])('[R16.public] [R15.scope] says yes to a product by %s', async (_, selector, told) => {
    expect(await product(selector)).toMatchObject({
      ...{ authorized: true, publisher_domain: paper, valid_until: null },
      ...{ source_urls: [expect.stringContaining('http')], seen_at: expect.stringContaining('Z') as string, ...told },
    });
  });

  it.each([
    ['all of a publisher', {}, { code: 'property_not_covered', refused: ['web'], properties_count: 2 }],
    ['an id that it may not sell', { property_ids: ['app', 'web'] }, { refused: ['web'], properties_count: 1 }],
    ['an id that nobody knows', { property_ids: ['app', 'x'] }, { code: 'property_unknown', refused: ['x'] }],
    ['a tag that nothing has', { tags: ['none'] }, { code: 'property_unknown', properties_count: 0 }],
    ['a publisher that nobody knows', { publisher_domain: 'none.example' }, { code: 'publisher_unknown' }],
  ])('[R16.public] [R15.scope] says no to a product by %s', async (_, selector, told) => {
    const nothing = { source_urls: [], seen_at: null, valid_until: null };
    expect(await product(selector)).toMatchObject({ authorized: false, ...nothing, ...told });
  });

  it('[R16.public] [R15.scope] says no to a product where one selector is not', async () => {
    const publisher_properties = [
      { publisher_domain: paper, property_ids: ['app'] },
      { publisher_domain: paper, property_ids: ['web'] },
    ];
    const { body } = (await at.post('/api/registry/validate/product-authorization', {
      ...{ agent_url: `${SELLER}/`, publisher_properties },
    })) as { body: unknown };
    expect(body).toMatchObject({ agent_url: SELLER, authorized: false, checked_at: toTimestamp(at.clock.now()) });
    expect((body as { selectors: { authorized: boolean }[] }).selectors.map((one) => one.authorized)).toEqual([
      true,
      false,
    ]);
    expect(await product({}, 'https://signals.example')).toMatchObject({ authorized: false, code: 'signals_only' });
    expect(await product({}, 'https://else.example')).toMatchObject({ authorized: false, code: 'agent_not_listed' });
  });

  it('[R16.public] expands to what the agent may sell alone, what an entry names inline too', async () => {
    const expand = async (agent_url: string) =>
      (
        await at.post('/api/registry/expand/product-identifiers', {
          ...{ agent_url, publisher_properties: [{ publisher_domain: paper }] },
        })
      ).body as { identifiers: object[] };
    expect((await expand(SELLER)).identifiers).toEqual(
      ['app', 'tv'].map((property_id) => ({
        ...{ type: 'ios_bundle', value: `com.${property_id}`, property_id, publisher_domain: paper },
      })),
    );
    expect(await expand(RIVAL)).toMatchObject({ property_count: 1, identifiers: [{ property_id: 'inline' }] });
    expect(await expand('https://signals.example')).toMatchObject({ property_count: 0, properties: [] });
  });

  it.each([
    ['no selector', { publisher_properties: [] }, 'publisher_properties'],
    ['no agent', { agent_url: 'x' }, 'agent_url'],
    ['no domain', { publisher_properties: [{ publisher_domain: 'x y' }] }, 'publisher_domain'],
    ['101 selectors', { publisher_properties: Array(101).fill({ publisher_domain: 'a.example' }) }, 'at most 100'],
    [
      'more than 2,000 properties',
      { publisher_properties: Array(100).fill({ publisher_domain: 'large.example' }) },
      'more than 2000 properties',
    ],
  ])('[R16.public] refuses a product with %s', async (_, changes, told) => {
    const site = { property_type: 'website', name: 'n', identifiers: [], tags: [] };
    const row = { publisher_domain: 'large.example', source: 'catalog' as const, verified: false, revision: 1 };
    const dates = { created_at: toTimestamp(at.clock.now()), updated_at: toTimestamp(at.clock.now()) };
    const properties = Array.from({ length: 21 }, (__, i) => ({ property_id: `p${i}`, ...site }));
    await at.store.collection(publishers).insert({ ...row, ...dates, properties });
    // Of a publisher that lets nobody sell anything, nothing is counted.
    await at.store.collection(authorizations).insert({
      ...{
        authorization_id: 'large',
        publisher_domain: row.publisher_domain,
        agent_url: SELLER,
        authorized_for: 'all',
      },
      ...{ source: 'adagents_json', source_url: null, seen_at: toTimestamp(at.clock.now()), revision: 1 },
    });
    const good = { agent_url: SELLER, publisher_properties: [{ publisher_domain: paper }] };
    for (const path of ['validate/product-authorization', 'expand/product-identifiers']) {
      const answer = await at.post(`/api/registry/${path}`, { ...good, ...changes });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(JSON.stringify(answer.body)).toContain(told);
    }
  });

  it('[R16.public] [R15.scope] finds a property by its identifier and type', async () => {
    const entry = {
      ...{ source: 'adagents_json', seen_at: expect.any(String) as string, valid_from: null, valid_until: null },
      entry_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    };
    const yes = { authorized: true, code: 'authorized_in_part', publisher_domain: paper, ...entry };
    expect((await identifier({ identifier_value: 'com.app' })).body).toMatchObject(yes);
    expect((await identifier({ identifier_value: 'com.app', publisher_domain: `www.${paper}` })).body).toMatchObject(
      yes,
    );
    const unknown = {
      authorized: false,
      code: 'property_unknown',
      publisher_domain: null,
      source: null,
      seen_at: null,
    };
    for (const query of [
      { identifier_value: 'com.none' },
      { identifier_value: 'com.app', identifier_type: 'android_package' },
      { identifier_value: 'com.app', agent_url: 'https://else.example' },
    ])
      expect((await identifier(query)).body).toMatchObject(unknown);
    const named = { identifier_value: 'com.web', publisher_domain: paper };
    expect((await identifier(named)).body).toMatchObject({ authorized: false, code: 'property_not_covered' });
    const host = { identifier_type: 'domain', identifier_value: `www.${paper}` };
    expect((await identifier(host)).body).toMatchObject({ authorized: false, publisher_domain: paper });
    expect((await identifier({ identifier_value: '' })).status).toBe(400);
  });

  it('[R16.public] says 404 only of a domain that it has looked for', async () => {
    const none = await at.get('/api/properties/resolve?domain=www.none.example');
    expect([none.status, none.body]).toMatchObject([404, { domain: 'none.example' }]);
    expect((await at.get('/api/registry/publisher?domain=none.example')).body).toEqual({
      ...{ domain: 'none.example', known: false, member: null, adagents_valid: null },
      ...{ source: null, seen_at: null, properties: [], authorized_agents: [] },
    });
    for (const path of ['properties/resolve', 'registry/publisher'])
      expect((await at.get(`/api/${path}?domain=${paper}`)).body).toMatchObject({
        ...{ source: 'adagents_json', seen_at: toTimestamp(at.clock.now()) },
      });
    for (const path of ['properties/resolve', 'registry/publisher'])
      expect((await at.get(`/api/${path}?domain=no%20domain`)).status).toBe(400);
  });

  it("[R16.public] crawls by either path alike, and refuses what is no publisher's", async () => {
    const ask = (domain: string) => at.post('/api/registry/crawl-request', { domain });
    expect((await ask(`www.${paper}`)).body).toMatchObject({ domain: paper, properties_count: 3 });
    expect((await ask('adserver.example')).status).toBe(400);
    expect((await ask('no domain')).status).toBe(400);
    const kept = file;
    file = undefined;
    const failed = await ask(paper);
    file = kept;
    expect([failed.status, failed.body]).toMatchObject([
      502,
      { error: expect.stringContaining('cannot be read') as string },
    ]);
    expect((await at.get(`/api/properties/resolve?domain=${paper}`)).status).toBe(200);
  });

  it('[R16.pages] lists domains by name, page by page, each once', async () => {
    const prefix = `zz${randomUUID().slice(0, 8)}`;
    const at_time = toTimestamp(at.clock.now());
    const names = Array.from({ length: 57 }, (_, i) => `${prefix}-${String(i).padStart(2, '0')}.example`);
    await at.store.collection(publishers).insertMany(
      names.map((publisher_domain) => ({
        ...{ publisher_domain, source: 'catalog' as const, verified: false, properties: [] },
        ...{ created_at: at_time, updated_at: at_time, revision: 1 },
      })),
    );
    const list = async (query: string) =>
      (await at.get(`/api/properties/registry?search=${prefix.toUpperCase()}&${query}`)).body as {
        properties: { domain: string; source: string; seen_at: string }[];
        stats: { has_more: boolean; next_after: string | null };
      };
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const { properties, stats }: Awaited<ReturnType<typeof list>> = await list(`limit=20&after=${after}`);
      seen.push(...properties.map(({ domain }) => domain));
      for (const { seen_at } of properties) expect(Date.parse(seen_at)).toBeGreaterThan(0);
      expect(stats.has_more).toBe(stats.next_after !== null);
      after = stats.next_after;
    }
    expect(seen).toEqual(names);
    const { properties } = await list('limit=3&offset=30');
    expect(properties.map(({ domain }) => domain)).toEqual(names.slice(30, 33));
    expect(properties[0]?.source).toBe('discovered');
    expect((await list('offset=57')).properties).toEqual([]);
    for (const wrong of ['limit=0', 'limit=101', 'offset=1001', 'offset=x', 'page=2'])
      expect((await at.get(`/api/properties/registry?${wrong}`)).status).toBe(400);
  });
});
