import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { refusal, result } from './support/calls.ts';
import type { Json } from './support/calls.ts';

const HOMES: Readonly<Record<string, readonly [string, string]>> = {
  '/manifest.json': ['application/json', '{"name":"Crumb","tagline":"Baking and recipes for families"}'],
  '/': [
    'text/html; charset=utf-8',
    `<html><head><title>Crumb &amp; Co</title>
     <meta content='recipes, family dinners' name="keywords"><script>"<meta name=keywords content=podcast>"</script>`,
  ],
  '/picture': ['image/png', '\u0000png'],
};

let agent: TestAgent;
let home: Server;
let base = '';
const asked: string[] = [];
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
  home = createServer((request, response) => {
    const url = request.url ?? '';
    asked.push(url);
    const [type, body] = HOMES[url] ?? ['text/plain', ''];
    if (url === '/moved') response.writeHead(302, { location: '/manifest.json' }).end();
    else response.writeHead(url in HOMES ? 200 : 404, { 'content-type': type }).end(body);
  }).listen(0, '127.0.0.1');
  await once(home, 'listening');
  base = `http://127.0.0.1:${(home.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await agent.stop();
  home.close();
});
beforeEach(() => {
  asked.length = 0;
});

const productsFor = async (input: Json) =>
  (await result(agent, 'get_products', input)) as {
    products: { product_id: string; match_reason: string; score: number | null }[];
    total_matching: number;
    has_more: boolean;
    cursor?: string;
    brand?: { read_from: string; note?: string };
  };

describe('[C.tasks.get_products] a brand manifest', () => {
  it.each([
    ['a manifest', '/manifest.json'],
    ['a page', '/'],
    ['a redirect on the same site', '/moved'],
  ])('by the URL of %s is fetched, and its words choose among products', async (_what, path) => {
    const { products, brand, total_matching } = await productsFor({ brand_manifest: { url: `${base}${path}` } });
    expect(brand).toEqual({ read_from: 'url' });
    expect(products[0]?.product_id).toBe('saltpan_recipe_moments');
    expect(products[0]?.match_reason).toMatch(/the brand's "(recipes|Baking)"/);
    expect(products).toHaveLength(total_matching);
    expect(asked[0]).toBe(path);
  });

  it('in the request is read as it stands, and its url is not fetched', async () => {
    const brand_manifest = { name: 'Crumb', url: `${base}/`, tagline: 'Recipes for families' };
    const { products, brand } = await productsFor({ brand_manifest });
    expect(brand).toEqual({ read_from: 'request' });
    expect(products[0]?.product_id).toBe('saltpan_recipe_moments');
    expect(asked).toEqual([]);
  });

  it('raises what the brief finds and finds nothing that the brief does not', async () => {
    const brief = 'display for families';
    const without = await productsFor({ brief });
    const { products } = await productsFor({ brief, brand_manifest: { name: 'Crumb', tagline: 'podcast radio' } });
    const found = (all: typeof products) =>
      all.flatMap(({ product_id, score }) => (score === null ? [] : [product_id])).sort();
    expect(found(products)).toEqual(found(without.products));
    expect(found(products).length).toBeLessThan(products.length);
  });

  it.each([
    ['on a private address', () => 'https://10.0.0.1/brand.json'],
    ['on the metadata address', () => 'http://169.254.169.254/latest'],
    ['that is not there', () => `${base}/nothing`],
    ['that is neither manifest nor page', () => `${base}/picture`],
    ['where nobody listens', () => 'http://127.0.0.1:9/'],
  ])('[W16] %s is told as unread, and products come without it', async (_what, url) => {
    const { products, brand } = await productsFor({ brief: 'podcasts', brand_manifest: { url: url() } });
    expect(brand?.note).toMatch(/^brand_manifest\.url was not read: /);
    expect(products.length).toBeGreaterThan(0);
  });
});

describe('[B8] a brief with more products than a page', () => {
  const brief = 'video for families';
  const idsOf = ({ products }: { products: { product_id: string }[] }) => products.map(({ product_id }) => product_id);

  async function allPages(input: Json) {
    const pages = [await productsFor(input)];
    for (let cursor = pages[0]?.cursor; cursor !== undefined; cursor = pages.at(-1)?.cursor) {
      pages.push(await productsFor({ ...input, cursor }));
    }
    return pages;
  }

  it.each([1, 4, 7])('[B8] leads to every match once, %i at a time, in the order of one long page', async (limit) => {
    const whole = await productsFor({ brief, limit: 100 });
    expect(whole.has_more).toBe(false);
    expect(whole.products).toHaveLength(whole.total_matching);
    const pages = await allPages({ brief, limit });
    for (const { has_more, cursor, total_matching } of pages) {
      expect(has_more).toBe(cursor !== undefined);
      expect(total_matching).toBe(whole.total_matching);
    }
    expect(pages.flatMap(({ products }) => products)).toEqual(whole.products);
    expect(new Set(pages.flatMap(idsOf)).size).toBe(whole.total_matching);
  });

  it('[B8] answers first what the brief leads to, and then the rest, which says so', async () => {
    const { products } = await productsFor({ brief });
    const first = products.findIndex(({ score }) => score === null);
    expect(first).toBeGreaterThan(0);
    for (const { score, match_reason } of products.slice(first)) {
      expect([score, match_reason]).toEqual([null, expect.stringContaining('does not lead to it')]);
    }
  });

  it.each<[string, Json]>([
    ['brief', { brief: 'audio for families' }],
    ['filter', { brief, filters: { channels: ['video'] } }],
    ['brand', { brief, brand_manifest: { name: 'Crumb' } }],
  ])('[B8] takes no cursor of another %s', async (_what, input) => {
    const { cursor } = await productsFor({ brief, limit: 2 });
    expect(await refusal(agent, 'get_products', { ...input, limit: 2, cursor })).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'cursor',
    });
  });

  it.each([0, 101, 1.5])('[B8] takes no limit of %d', async (limit) => {
    expect(await refusal(agent, 'get_products', { brief, limit })).toMatchObject({ field: 'limit' });
  });
});

it('[B12] unknown keys and wrong filters are all named at once, with a suggestion', async () => {
  const filters = { chanels: ['ctv'], delivery_type: 'sure', budget_range: { min: 10, max: 1 } };
  const error = await refusal(agent, 'get_products', { breif: 'x', filters });
  expect(error.issues?.map(({ pointer }) => pointer).sort()).toEqual([
    '/breif',
    '/filters/budget_range/max',
    '/filters/chanels',
    '/filters/delivery_type',
  ]);
  const messages = error.issues?.map(({ message }) => message).join('; ');
  expect(messages).toContain('did you mean brief?');
  expect(messages).toContain('did you mean channels?');
});
