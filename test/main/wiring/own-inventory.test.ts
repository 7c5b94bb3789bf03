import { expect, it } from 'vitest';
import { adAgentsDocument, ownPublishers } from '../../../src/main/wiring/own-inventory.ts';
import type { Catalog } from '../../../src/sales/catalog.ts';
import { demoCatalog } from '../../sales/support/demo-catalog.ts';
import { publicAdAgentsSchema } from '../../support/public-adagents-schema.ts';

const BASE_URL = 'https://sales.northlight.example';

const problemsBySchema = publicAdAgentsSchema();

interface OwnFile {
  properties: { property_id: string; publisher_domain: string; tags: string[] }[];
  authorized_agents: { url: string; authorized_for: string; property_ids: string[] }[];
}

/** This house's file as it goes out, which the public schema finds nothing wrong with. */
function publicFile(catalog: Catalog): OwnFile {
  const file: unknown = JSON.parse(JSON.stringify(adAgentsDocument({ catalog, baseUrl: BASE_URL })));
  expect(problemsBySchema(file)).toBe('');
  return file as OwnFile;
}

it('the own adagents.json is valid by the public schema, and names every property once', async () => {
  const catalog = await demoCatalog();
  const file = publicFile(catalog);
  const ids = file.properties.map(({ property_id }) => property_id);
  expect(file.authorized_agents.map(({ url, property_ids }) => ({ url, property_ids }))).toEqual([
    { url: BASE_URL, property_ids: ids },
  ]);
  expect(ids).toEqual([...catalog.properties.keys()]);
});

it('keeps ids apart that differ in what the public schema does not have, and bounds what is said', async () => {
  const catalog = await demoCatalog();
  const [first] = catalog.properties.values();
  if (first === undefined) throw new Error('the demo catalog has no property');
  const ids = ['Web-1', 'web_1', 'web.1'];
  const properties = new Map(ids.map((property_id) => [property_id, { ...first, property_id, tags: ['A-b', 'a_b'] }]));
  const publisher = { ...catalog.publisher, name: 'n'.repeat(4_000) };
  const file = publicFile({ ...catalog, properties, publisher });
  expect(file.properties.map(({ property_id, tags }) => ({ property_id, tags }))).toEqual([
    { property_id: 'web_1', tags: ['a_b'] },
    { property_id: 'web_1_2', tags: ['a_b'] },
    { property_id: 'web_1_3', tags: ['a_b'] },
  ]);
  expect(adAgentsDocument({ catalog: { ...catalog, properties: new Map() }, baseUrl: BASE_URL })).toEqual({
    contact: { name: expect.any(String) as string, domain: catalog.publisher.primary_domain },
    authorized_agents: [],
  });
});

it('the registry is planted with the same properties and authorization, each publisher with its own', async () => {
  const catalog = await demoCatalog();
  const file = publicFile(catalog);
  const own = ownPublishers(catalog, BASE_URL);
  expect(own.map(({ publisher_domain }) => publisher_domain)).toEqual([...catalog.publisher_domains]);
  const planted = own.flatMap(({ publisher_domain, properties }) =>
    properties.map((property) => ({ ...property, publisher_domain })),
  );
  expect(new Set(planted.map((property) => JSON.stringify(property)))).toEqual(
    new Set(file.properties.map(({ publisher_domain, ...rest }) => JSON.stringify({ ...rest, publisher_domain }))),
  );
  for (const { authorized_agents } of own)
    expect(authorized_agents).toEqual([
      { url: BASE_URL, authorized_for: file.authorized_agents[0]?.authorized_for, source: 'hosted' },
    ]);
});
