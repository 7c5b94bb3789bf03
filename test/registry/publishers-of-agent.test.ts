import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import type { Authorization } from '../../src/directory/authorization/authorization.ts';
import { liveOfAgents } from '../../src/directory/authorization/live-of-agents.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { describeOnStores } from '../support/stores.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));

describeOnStores('the publishers of an agent on %s', (kind) => {
  let at: Registry;

  beforeAll(async () => {
    at = await startRegistry(kind, { sizes: { browse: 10_000, look_up_operator: 1000 } });
  });
  afterAll(() => at.close());

  const row = (publisher_domain: string, agent_url: string, entry?: object, nth = 0): Authorization => ({
    authorization_id: authorizationId(publisher_domain, agent_url, 'adagents_json', `${nth}`),
    ...{ publisher_domain, agent_url, authorized_for: 'display', source: 'adagents_json', entry_id: `${nth}` },
    ...(entry !== undefined && { entry_json: JSON.stringify({ url: agent_url, authorized_for: 'display', ...entry }) }),
    ...{ source_url: `https://${publisher_domain}/adagents.json`, seen_at: toTimestamp(at.clock.now()), revision: 1 },
  });
  const write = (rows: Authorization[]) => at.store.collection(authorizations).insertMany(rows);
  const known = async (publisher_domain: string, more: Partial<RegistryPublisher> = {}) => {
    const now = toTimestamp(at.clock.now());
    await at.store.collection(publishers).insert({
      ...{ publisher_domain, source: 'adagents_json', verified: true, properties: [] },
      ...{ created_at: now, updated_at: now, revision: 1, ...more },
    });
  };
  /** The domain of an operator of agents that anybody sees. */
  async function operatorOf(...urls: string[]): Promise<string> {
    const domain = `op-${randomUUID()}.example`;
    const { organization_id } = await at.organization({ corporate_domain: domain, domain_verified_by: 'email' });
    const now = toTimestamp(at.clock.now());
    await at.store.collection(agents).insertMany(
      urls.map((url) => ({
        ...{ agent_id: randomUUID(), url, organization_id, name: url, type: 'sales' as const },
        ...{ visibility: 'public' as const, created_at: now, updated_at: now, revision: 1 },
      })),
    );
    return domain;
  }
  interface Operated {
    url: string;
    authorized_by: { publisher_domain: string }[];
    authorized_by_cursor?: string;
  }
  async function operated(domain: string): Promise<Operated[]> {
    const answer = await at.get(`/api/registry/operator?domain=${domain}`);
    expect(answer.status).toBe(200);
    return (answer.body as { agents: Operated[] }).agents;
  }
  const domainsOf = (one: Operated | undefined) => one?.authorized_by.map(({ publisher_domain }) => publisher_domain);
  const pathOf = (url: string, more = '') => `/api/registry/lookup/agent/${encodeURIComponent(url)}/domains?${more}`;

  /** Every domain that pages tell from a cursor on, and how many each told. */
  async function readOn(url: string, cursor: string | null = '', limit = 200) {
    const [told, counts]: [string[], number[]] = [[], []];
    while (cursor !== null) {
      const answer = await at.get(pathOf(url, `limit=${limit}&cursor=${encodeURIComponent(cursor)}`));
      const page = answer.body as { domains: string[]; cursor: string | null; has_more: boolean };
      expect(page.has_more).toBe(page.cursor !== null);
      told.push(...page.domains);
      counts.push(page.domains.length);
      cursor = page.cursor;
    }
    return { told, counts };
  }

  it("[R15.all] lets nobody's many entries take the place of another publisher", async () => {
    const url = `https://${randomUUID()}.example`;
    const real = many(20, (n) => `real-${n}.example`).sort();
    const strangers = many(200, (n) => `a-${n}.example`).sort();
    for (const domain of strangers) await write(many(100, (n) => row(domain, url, undefined, n)));
    await write(real.map((domain) => row(domain, url)));
    const [one] = await operated(await operatorOf(url));
    expect(domainsOf(one)).toEqual([...strangers, ...real]);
    expect(one).not.toHaveProperty('authorized_by_cursor');
    const first = (await at.get(pathOf(url, 'limit=30'))).body as { domains: string[]; cursor: string };
    expect([first.domains, first.cursor]).toEqual([strangers.slice(0, 30), strangers[29]]);
    const { told, counts } = await readOn(url, '', 110);
    expect([told, counts]).toEqual([
      [...strangers, ...real],
      [110, 110],
    ]);
  });

  it('[R15.all] tells of an agent with more than 10,000 publishers that there are more, wherever it is cut, and goes on there', async () => {
    const url = `https://${randomUUID()}.example`;
    const all = many(10_003, (n) => `p${String(n).padStart(5, '0')}.example`);
    for (let n = 0; n < all.length; n += 1000) await write(all.slice(n, n + 1000).map((domain) => row(domain, url)));
    const [one] = await operated(await operatorOf(url));
    expect(domainsOf(one)).toEqual(all.slice(0, 10_000));
    expect((await readOn(url, one?.authorized_by_cursor ?? null)).told).toEqual(all.slice(10_000));
    const page = await at.get(`/registry/agents/${encodeURIComponent(url)}`);
    expect(page.text).toContain('These are not all');
    expect(page.text).toContain('p00199.example');
    expect(page.text).not.toContain('p00200.example');
    const query = new URLSearchParams({ agent_url: url, identifier_type: 'ios_bundle', identifier_value: 'com.x' });
    const refused = await at.get(`/api/registry/validate/property-authorization?${query.toString()}`);
    expect([refused.status, refused.body]).toMatchObject([400, { field: 'publisher_domain' }]);
  });

  it('[R15.all] shares what one answer looks at among its agents, and tells each where it was cut', async () => {
    const [wide, narrow] = [`https://w.${randomUUID()}.example`, `https://n.${randomUUID()}.example`];
    const all = many(9, (n) => `p${n}.example`);
    await write(all.map((domain) => row(domain, wide)));
    await write([row('p7.example', narrow), row('p8.example', narrow)]);
    const { live, cut } = await liveOfAgents(at.store, [wide, narrow], at.clock.now(), 8);
    const of = (url: string) => live.filter((one) => one.agent_url === url).map((one) => one.publisher_domain);
    expect([of(wide), of(narrow)]).toEqual([all.slice(0, 4), ['p7.example', 'p8.example']]);
    expect([...cut]).toEqual([[wide, 'p3.example']]);
    expect((await readOn(wide, cut.get(wide))).told).toEqual(all.slice(4));
    expect((await liveOfAgents(at.store, [wide, narrow], at.clock.now(), 11)).cut.size).toBe(0);
  });

  it('[R15.all] judges anew what it does not hold, and holds an exclusive entry of one that was cut against another', async () => {
    const [sole, other] = [`https://a.${randomUUID()}.example`, `https://b.${randomUUID()}.example`];
    const domain = `p-${randomUUID()}.example`;
    await write([
      row(`0-${domain}`, sole),
      { ...row(domain, sole, { exclusive: true }), is_exclusive: true },
      row(domain, other, {}),
    ]);
    const { live, cut } = await liveOfAgents(at.store, [sole, other], at.clock.now(), 2);
    expect(live.map((one) => [one.agent_url, one.publisher_domain])).toEqual([[sole, `0-${domain}`]]);
    expect([...cut.keys()]).toEqual([sole]);
  });

  it("[R15.managed] tells the publishers that have a manager's file instead, each once, after their manager", async () => {
    const url = `https://${randomUUID()}.example`;
    const id = randomUUID();
    const manager = `m-${id}.example`;
    const named = (letter: string) => `${letter}-${id}.example`;
    const managed = ['a', 'b', 'x', 'y', 'z'].map(named);
    const selector = { publisher_domains: managed, selection_type: 'all' };
    await known(manager, {
      properties: ['b', 'z'].map((letter) => ({
        ...{ property_id: letter, property_type: 'website', name: letter, tags: [], identifiers: [] },
        publisher_domain: named(letter),
      })),
    });
    for (const domain of managed)
      await known(domain, { verified: domain === named('x'), source: 'adagents_json', manager_domain: manager });
    await write([
      row(named('k'), url),
      row(manager, url, { authorization_type: 'publisher_properties', publisher_properties: [selector] }),
      // It has an entry of its own, too, and stands at its own place.
      { ...row(named('y'), url), source: 'hosted' },
      row(named('zz'), url),
    ]);
    const expected = [named('k'), named('a'), named('b'), named('z'), named('y'), named('zz')];
    for (const limit of [1, 2, 3, 200]) expect((await readOn(url, '', limit)).told).toEqual(expected);
    const [one] = await operated(await operatorOf(url));
    expect(domainsOf(one)).toEqual([...expected].sort());
    const shown: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/v1/agents/${encodeURIComponent(url)}/publishers?limit=2&include=properties`;
      const page = (await at.get(`${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).body as {
        publishers: Record<string, unknown>[];
        next_cursor: string | null;
      };
      shown.push(...page.publishers);
      cursor = page.next_cursor;
    }
    expect(shown.map((one) => [one['publisher_domain'], one['discovery_method'], one['manager_domain']])).toEqual(
      expected.map((domain) =>
        managed.includes(domain) && domain !== named('y')
          ? [domain, 'ads_txt_managerdomain', manager]
          : [domain, 'direct', null],
      ),
    );
    expect(shown.find((one) => one['publisher_domain'] === named('z'))).toMatchObject({
      ...{ properties_authorized: 1, properties_total: 1, property_ids: ['z'] },
    });
    const { cut } = await liveOfAgents(at.store, [url], at.clock.now(), 4);
    expect(cut.get(url)).toBe(`${manager}/${named('b')}`);
    expect((await readOn(url, cut.get(url))).told).toEqual([named('z'), named('y'), named('zz')]);
  });

  it('[R15.all] ends a page of the public directory where it has counted 50,000 properties, and says so', async () => {
    const url = `https://${randomUUID()}.example`;
    const domains = many(3, (n) => `big-${n}-${randomUUID()}.example`);
    for (const domain of domains) {
      const properties = many(20_000, (n) => ({
        ...{ property_id: `p${n}`, property_type: 'website', name: '', tags: ['all'], identifiers: [] },
      }));
      await known(domain, { properties });
      await write([row(domain, url, { authorization_type: 'property_tags', property_tags: ['all'] })]);
    }
    const path = `/v1/agents/${encodeURIComponent(url)}/publishers`;
    const counted = async (cursor = '') => {
      const answer = await at.get(`${path}${cursor && `?cursor=${cursor}`}`);
      const { publishers: told, next_cursor } = answer.body as {
        publishers: { publisher_domain: string; properties_authorized: number }[];
        next_cursor: string | null;
      };
      return [told.map((one) => [one.publisher_domain, one.properties_authorized]), next_cursor];
    };
    const first = domains.slice(0, 2).map((domain) => [domain, 20_000]);
    expect(await counted()).toEqual([first, domains[1]]);
    expect(await counted(domains[1])).toEqual([[[domains[2], 20_000]], null]);
  });
});
