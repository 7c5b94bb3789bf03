import { expect, it } from 'vitest';
import { z } from 'zod';
import { adAgentsDocument, ownPublishers } from '../../../src/main/wiring/own-inventory.ts';
import { demoCatalog } from '../../sales/support/demo-catalog.ts';

const BASE_URL = 'https://sales.northlight.example';

const IDENTIFIER_TYPES = `domain subdomain network_id ios_bundle android_package apple_app_store_id google_play_id roku_store_id
fire_tv_asin samsung_app_id apple_tv_bundle bundle_id venue_id screen_id openooh_venue_type rss_url apple_podcast_id
spotify_collection_id podcast_guid station_id facility_id`;

/** What the public schema of adagents.json asks of the parts that this house has (AdCP 3.1, `adagents.json`). */
const PublicId = z.string().regex(/^[a-z0-9_]+$/);
const PublicFile = z.strictObject({
  contact: z.strictObject({ name: z.string().min(1).max(255), domain: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/) }),
  properties: z
    .array(
      z.strictObject({
        property_id: PublicId,
        property_type: z.enum(
          'website mobile_app ctv_app desktop_app dooh podcast radio linear_tv streaming_audio ai_assistant'.split(' '),
        ),
        name: z.string(),
        publisher_domain: z.string(),
        identifiers: z
          .array(
            z.strictObject({
              type: z.enum(IDENTIFIER_TYPES.split(/\s+/)),
              value: z.string(),
            }),
          )
          .min(1),
        tags: z.array(PublicId).refine((tags) => new Set(tags).size === tags.length),
      }),
    )
    .min(1),
  authorized_agents: z.array(
    z.strictObject({
      url: z.url(),
      authorized_for: z.string().min(1).max(500),
      authorization_type: z.literal('property_ids'),
      property_ids: z.array(PublicId).min(1),
    }),
  ),
});

it('the own adagents.json is valid by the public schema, and names every property once', async () => {
  const catalog = await demoCatalog();
  const file = PublicFile.parse(adAgentsDocument({ catalog, baseUrl: BASE_URL }));
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
  const file = PublicFile.parse(
    adAgentsDocument({ catalog: { ...catalog, properties, publisher }, baseUrl: BASE_URL }),
  );
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
  const file = PublicFile.parse(adAgentsDocument({ catalog, baseUrl: BASE_URL }));
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
