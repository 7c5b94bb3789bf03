import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import { keepProperties, propertiesCount, allPropertiesOf } from '../../src/directory/publisher/property-list.ts';
import { propertyPages } from '../../src/directory/publisher/property-page.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import type { RegistryPublisher } from '../../src/directory/publisher/publisher.ts';
import { readAdAgents } from '../../src/registry/crawl/adagents-file.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const AGENT = 'https://sales.example';
const MOST = 20_000;

/** As short as they come: 20,000 fit into what one fetch brings. */
const property = (n: number) => ({
  ...{ property_id: `p${n}`, property_type: 'website', name: `${n}`, tags: [] },
  identifiers: [{ type: 'domain', value: `s${n}.example` }],
});
const properties = (count: number) => Array.from({ length: count }, (_, n) => property(n));
const entry = (...property_ids: string[]) => ({ url: AGENT, authorization_type: 'property_ids', property_ids });

describeOnStores('a publisher of 20,000 properties on %s', (kind) => {
  let at: Registry;
  let origin = '';
  let domain = '';
  let file: object = {};

  beforeAll(async () => {
    at = await startRegistry(kind, { adAgentsUrl: () => `${origin}/adagents.json`, sizes: { crawl_publisher: 1000 } });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    ({ origin } = await serveHttp((_request, response) => {
      json(response, file);
    }));
    domain = `p-${randomUUID()}.example`;
  });

  async function crawl(published: object) {
    file = { authorized_agents: [entry('p19999')], ...published };
    at.clock.advance(60_000);
    const answer = await at.post(`/api/registry/publishers/${domain}/crawl`);
    expect(answer.status).toBe(200);
    return answer.body as { problems: string[] };
  }
  async function publisher(): Promise<RegistryPublisher> {
    const row = await at.store.collection(publishers).get(domain);
    if (row === undefined) throw new Error('the publisher is not known');
    return row;
  }
  const pages = async () =>
    (await at.store.collection(propertyPages).find({ where: { publisher_domain: domain }, limit: 1000 })).rows;
  async function codeFor(name: string) {
    const query = new URLSearchParams({ agent: AGENT, publisher: domain, property: name });
    return ((await at.get(`/api/registry/authorization?${query.toString()}`)).body as { code: string }).code;
  }

  it('[R15.scope] has them all, in rows of bounded size, and answers by the last; what is over is told', async () => {
    const { problems } = await crawl({ properties: properties(MOST + 1) });
    expect(problems).toEqual([`properties has more than ${MOST} entries; the rest is left out`]);
    const rows = [await publisher(), ...(await pages())];
    expect(Math.max(...rows.map((row) => JSON.stringify(row).length))).toBeLessThan(300_000);
    expect(await allPropertiesOf(at.store, await publisher())).toEqual(properties(MOST));
    expect([await codeFor('s19999.example'), await codeFor('p19999')]).toEqual(['authorized', 'authorized']);
    expect([await codeFor('p19998'), await codeFor('p20000')]).toEqual(['property_not_covered', 'property_unknown']);
    const { body } = (await at.post('/api/properties/resolve/bulk', { domains: [domain] })) as {
      body: { results: Record<string, { properties: unknown[] }> };
    };
    expect(body.results[domain]?.properties).toEqual(properties(MOST));
    const where = { subject: `property/${domain}`, sequence: { gt: 0 } };
    const [told] = (await at.store.collection(feedEvents).find({ where })).rows;
    expect(JSON.parse(told?.state_json ?? '')).toMatchObject({ properties_count: MOST });
  });

  it('[R15.scope] writes a list that is the same not again, tells what of another is, and keeps no page of the former', async () => {
    await crawl({ properties: properties(5_001) });
    const first = await pages();
    await crawl({ properties: properties(5_001) });
    expect(await pages()).toEqual(first);
    await crawl({ properties: [{ ...property(0), name: 'another' }, ...properties(5_001).slice(1)] });
    const { last_change, property_list } = await publisher();
    expect(last_change?.properties).toMatchObject({
      ...{ added: { count: 0 }, removed: { count: 0 }, changed: { count: 1, names: ['p0'] } },
    });
    expect(new Set((await pages()).map((page) => page.list_id))).toEqual(new Set([property_list?.list_id]));
    await crawl({ properties: properties(2) });
    expect(await pages()).toEqual([]);
    expect([propertiesCount(await publisher()), (await publisher()).properties]).toEqual([2, properties(2)]);
  });

  it('[R15.scope] gives who reads a list while it is replaced the one that is there now, never a part', async () => {
    await crawl({ properties: properties(5_001) });
    const before = await publisher();
    await crawl({ properties: properties(5_002) });
    expect(await allPropertiesOf(at.store, before)).toEqual(properties(5_002));
    const [page] = await pages();
    await at.store.collection(propertyPages).delete(page?.page_id ?? '');
    await expect(allPropertiesOf(at.store, await publisher())).rejects.toThrow('has lost a page');
  });

  it('[R15.scope] removes, an hour later, what a process wrote that died before it was named', async () => {
    await crawl({ properties: properties(5_001) });
    const first = await pages();
    const nowMs = at.clock.now();
    await keepProperties({ store: at.store, nowMs }, domain, properties(5_002), undefined);
    await crawl({ properties: properties(5_001) });
    expect((await pages()).length).toBeGreaterThan(first.length);
    expect(await allPropertiesOf(at.store, await publisher())).toEqual(properties(5_001));
    at.clock.advance(3_700_000);
    await crawl({ properties: properties(5_001) });
    expect(await pages()).toEqual(first);
  });
});

it('[R15.scope] lets others have their turn while a file of 20,000 properties is read', async () => {
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  const read = await readAdAgents({ authorized_agents: [], properties: properties(MOST) }, Date.now());
  clearInterval(others);
  expect(read?.properties).toHaveLength(MOST);
  expect(turns).toBeGreaterThan(0);
});
