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
    const ids = (found: { product_id: string }[]) => found.map(({ product_id }) => product_id).sort();
    expect(ids(products)).toEqual(ids(without.products));
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
