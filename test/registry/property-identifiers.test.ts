import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { identifierDigest, propertyIdentifiers } from '../../src/directory/publisher/property-identifier.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const SELLER = 'https://sales.example';
const ROWS = { crawled_rows: 1_000_000, crawled_rows_of_domain: 1_000_000 };

describeOnStores('properties by their identifiers on %s', (kind) => {
  let at: Registry;
  let origin = '';
  let file: object = {};
  let domain = '';
  let bundle = '';

  beforeAll(async () => {
    at = await startRegistry(kind, {
      adAgentsUrl: () => `${origin}/adagents.json`,
      sizes: { crawl_publisher: 1000, ...ROWS },
    });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    ({ origin } = await serveHttp((_request, response) => {
      json(response, file);
    }));
    domain = `p-${randomUUID()}.example`;
    bundle = `com.app.${randomUUID()}`;
  });

  const app = (...values: string[]) => ({
    ...{ property_id: 'app', property_type: 'mobile_app', name: 'The App' },
    identifiers: values.map((value) => ({ type: 'ios_bundle', value })),
  });
  async function crawl(publisher: string, properties: object[], entry: object = {}) {
    file = { authorized_agents: [{ url: SELLER, authorized_for: 'all', ...entry }], properties };
    at.clock.advance(60_000);
    expect((await at.post(`/api/registry/publishers/${publisher}/crawl`)).status).toBe(200);
  }
  const lookUp = (value: string, type = 'ios_bundle') =>
    at.get(`/api/registry/lookup/property?${new URLSearchParams({ type, value }).toString()}`);

  /** Of each page that there is, whose properties it tells. */
  async function pagesOf(value: string): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ type: 'ios_bundle', value, ...(cursor && { cursor }) });
      const page = (await at.get(`/api/registry/lookup/property?${query.toString()}`)).body as {
        properties: { publisher_domain: string }[];
        cursor: string | null;
      };
      pages.push(page.properties.map((one) => one.publisher_domain));
      cursor = page.cursor;
    }
    return pages;
  }

  it('[R16.public] finds a bundle in the files that name it now, with who may sell it, and 404 once no file does', async () => {
    await crawl(domain, [app(bundle)]);
    const other = `q-${randomUUID()}.example`;
    await crawl(other, [app(bundle)], { url: 'https://over.example', valid_until: '2001-01-01T00:00:00Z' });
    const both = await lookUp(bundle);
    expect(both.body).toMatchObject({
      ...{ type: 'ios_bundle', value: bundle, count: 1, cursor: null, has_more: false },
      agents: [{ url: SELLER, publisher_domain: domain, property_id: 'app', valid: true }],
      properties: [
        {
          ...{ publisher_domain: domain, name: 'The App', source: 'adagents_json' },
          seen_at: toTimestamp(at.clock.now() - 60_000),
        },
        { publisher_domain: other, seen_at: toTimestamp(at.clock.now()) },
      ],
    });
    const moved = `${bundle}.new`;
    await crawl(domain, [app(moved)]);
    await crawl(other, []);
    expect((await lookUp(bundle)).status).toBe(404);
    expect((await lookUp(moved)).body).toMatchObject({ count: 1, properties: [{ publisher_domain: domain }] });
    const { rows } = await at.store
      .collection(propertyIdentifiers)
      .find({ where: { publisher_domain: domain }, limit: 9 });
    expect(rows).toHaveLength(1);
  });

  it('[R16.public] answers nothing by a hint whose file does not say so, and by another type or value', async () => {
    await crawl(domain, [app(bundle)]);
    await at.store.collection(publishers).update(domain, (row) => ({ ...row, properties: [] }));
    const empty = await lookUp(bundle);
    expect(empty.status).toBe(404);
    await crawl(domain, [app(bundle)]);
    expect((await lookUp(bundle, 'android_package')).status).toBe(404);
    expect((await lookUp(bundle.toUpperCase())).status).toBe(404);
    expect((await lookUp(bundle)).status).toBe(200);
  });

  it('[R16.public] writes the hints of a publisher of before with its next crawl, though its file is as it was', async () => {
    await crawl(domain, [app(bundle)]);
    const rows = at.store.collection(propertyIdentifiers);
    for (const { hint_id } of (await rows.find({ where: { publisher_domain: domain }, limit: 9 })).rows)
      await rows.delete(hint_id);
    await at.store.collection(publishers).update(domain, ({ identifier_list: _, ...row }) => row);
    expect((await lookUp(bundle)).status).toBe(404);
    await crawl(domain, [app(bundle)]);
    expect((await lookUp(bundle)).body).toMatchObject({ count: 1 });
  });

  it('[R16.public] removes the hints of a crawl that was killed with the next one, though the file is as it was', async () => {
    await crawl(domain, [app(bundle)]);
    const rows = at.store.collection(propertyIdentifiers);
    const left = (list_id: string, hoursAgo: number) => ({
      ...{ hint_id: `${list_id}.${randomUUID()}`, identifier: identifierDigest('ios_bundle', 'left'), list_id },
      ...{ publisher_domain: domain, revision: 1 },
      created_at: toTimestamp(at.clock.now() - hoursAgo * 3_600_000),
    });
    // Before and behind the list that counts, in the order of their names; and one that somebody writes now.
    await rows.insertMany([left('0', 2), left('0', 2), left('~', 2), left('~~', 0)]);
    await crawl(domain, [app(bundle)]);
    const kept = async () => (await rows.find({ where: { publisher_domain: domain } })).rows;
    expect((await kept()).map(({ list_id }) => list_id).filter((id) => id.length < 3)).toEqual(['~~']);
    expect((await lookUp(bundle)).body).toMatchObject({ count: 1 });
    at.clock.advance(2 * 3_600_000);
    await crawl(domain, []);
    expect(await kept()).toEqual([]);
  });

  it('[R15.scope] keeps the first 20,000 identifiers of a publisher, and says so wherever the file is told of', async () => {
    const most = INPUT_LIMITS.publisherIdentifiers;
    const apps = Array.from({ length: most / 500 + 1 }, (_, n) => ({
      ...{ property_id: `app-${n}`, property_type: 'mobile_app', name: `App ${n}` },
      identifiers: Array.from({ length: 500 }, (_one, i) => ({ type: 'ios_bundle', value: `${bundle}.${n}.${i}` })),
    }));
    const hints = () => at.store.collection(propertyIdentifiers).count({ publisher_domain: domain });
    const told = expect.stringContaining(`more than ${most} identifiers`) as string;
    await crawl(domain, apps);
    expect(await hints()).toBe(most);
    expect((await lookUp(`${bundle}.0.0`)).status).toBe(200);
    expect((await lookUp(`${bundle}.${most / 500}.0`)).status).toBe(404);
    expect((await at.get(`/api/registry/publishers/${domain}`)).body).toMatchObject({ problems: [told] });
    expect((await at.get(`/registry/publishers/${domain}`)).text).toContain(`more than ${most} identifiers`);
    const checked = await at.post('/api/adagents/validate', { domain });
    const { validation } = (checked.body as { data: { validation: { warnings: object[] } } }).data;
    expect(validation).toMatchObject({ valid: true, problems: [told] });
    expect(validation.warnings[0]).toMatchObject({ pointer: '/properties', message: told });
    // One less is all of them: the old list is gone, and nothing is said.
    await crawl(domain, apps.slice(0, -1));
    expect(await hints()).toBe(most);
    expect((await at.get(`/api/registry/publishers/${domain}`)).body).toMatchObject({ problems: [] });
  });

  it('[R16.public] tells so much of each publisher, reads files of so many and so long properties for a page, and says so', async () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ type: 'android_package', value: `${bundle}.${i}` }));
    const properties = Array.from({ length: 12 }, (_, n) => ({
      ...{ property_id: `app-${n}`, property_type: 'mobile_app', name: `App ${n}` },
      identifiers: [...many, { type: 'ios_bundle', value: bundle }],
    }));
    await crawl(domain, properties);
    expect((await lookUp(bundle)).body).toMatchObject({ is_cut: true, count: 10, cursor: null });
    const told = (await lookUp(bundle)).body as { properties: { identifiers: object[] }[] };
    expect(told.properties.map((one) => one.identifiers.length)).toEqual(Array.from({ length: 10 }, () => 20));
    for (const { identifiers } of told.properties)
      expect(identifiers).toContainEqual({ type: 'ios_bundle', value: bundle });
    await crawl(domain, [app(bundle)]);
    expect((await lookUp(bundle)).body).toMatchObject({ is_cut: false, count: 1 });

    // Three files of which two are as much as is read for a page.
    const filler = Array.from({ length: 15_000 }, (_, n) => ({
      ...{ property_id: `p-${n}`, property_type: 'website', name: 'P', identifiers: [] },
    }));
    const popular = `${bundle}.popular`;
    const names = ['a', 'b', 'c'].map((name) => `${name}-${domain}`);
    for (const name of names) await crawl(name, [app(popular), ...filler]);
    expect(await pagesOf(popular)).toEqual([names.slice(0, 2), names.slice(2)]);
    // Of few properties that are long, it is their length; one file is read in any case.
    for (const name of names)
      await at.store.collection(publishers).update(name, ({ property_list, ...row }) => {
        expect(property_list).toBeTruthy();
        return { ...row, ...(property_list && { property_list: { ...property_list, count: 1, length: 8_000_001 } }) };
      });
    expect(await pagesOf(popular)).toEqual(names.map((name) => [name]));
  });

  it('[R16.public] expands what selectors mean whole or not at all, and says how to ask for less', async () => {
    const long = (type: string) => ({
      ...{ property_id: type, property_type: 'mobile_app', name: 'Long' },
      identifiers: Array.from({ length: 1000 }, (_, i) => ({ type, value: `${i}.`.padEnd(900, 'x') })),
    });
    const others = [`q-${domain}`, `r-${domain}`];
    for (const name of [domain, ...others]) await crawl(name, [long('a'), long('b')]);
    const expand = (...selectors: object[]) =>
      at.post('/api/registry/expand/product-identifiers', { agent_url: SELLER, publisher_properties: selectors });
    const all = [domain, ...others].map((publisher_domain) => ({ publisher_domain }));
    const refused = await expand(...all);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { field: 'publisher_properties', suggestion: expect.stringContaining('property_ids') as string },
    ]);
    expect((await expand({ publisher_domain: domain })).body).toMatchObject({ identifier_count: 2000 });
    const some = await expand(...all.map((one) => ({ ...one, property_ids: ['a'] })));
    expect(some.body).toMatchObject({ property_count: 3, identifier_count: 3000 });
  });

  it('[R16.public] finds a domain by the nearest publisher, and names the field that is wrong', async () => {
    const site = { property_id: 'web', property_type: 'website', name: 'Site' };
    await crawl(domain, [{ ...site, identifiers: [{ type: 'domain', value: domain }] }]);
    expect((await lookUp(`www.${domain}`, 'domain')).body).toMatchObject({
      ...{ agents: [{ url: SELLER }], properties: [{ property_id: 'web' }] },
    });
    expect((await lookUp('nobody-knows.example', 'domain')).status).toBe(404);
    const bad = await at.get('/api/registry/lookup/property?type=ios_bundle');
    expect(bad.status).toBe(400);
    expect(JSON.stringify(bad.body)).toContain('value');
  });
});
