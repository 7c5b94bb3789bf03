import { afterEach, expect, it } from 'vitest';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { freePort } from '../support/free-port.ts';
import { publicAdAgentsSchema } from '../support/public-adagents-schema.ts';
import { describeOnStores } from '../support/stores.ts';

let agent: TestAgent | undefined;
afterEach(() => agent?.stop());

describeOnStores('the registry of a whole agent on %s', (store) => {
  it('[R2] [R14] checks properties, with the shipped list of blocked domains, and describes itself', async () => {
    agent = await startTestAgent(store, { working: false });
    const checked = await fetch(`${agent.baseUrl}/api/properties/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domains: ['https://www.unheard-of.example/', 'ads.2mdn.net'] }),
    });
    expect(checked.status).toBe(200);
    expect(Number(checked.headers.get('ratelimit-remaining'))).toBeGreaterThan(0);
    expect(await checked.json()).toMatchObject({
      summary: { total: 2, remove: 1, modify: 1, assess: 0, ok: 0 },
      remove: [{ canonical: 'ads.2mdn.net', reason: 'blocked', domain_type: 'ad_server' }],
    });
    const description = await fetch(`${agent.baseUrl}/openapi.json`);
    expect(await description.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: agent.baseUrl }] });
  });

  it('[R12] discovers this very agent', async () => {
    agent = await startTestAgent(store, { working: false });
    const url = encodeURIComponent(agent.baseUrl);
    const answer = await fetch(`${agent.baseUrl}/api/public/discover-agent?url=${url}`);
    expect(await answer.json()).toMatchObject({
      ...{ name: 'Northlight Media Group sales agent', type: 'sales' },
      stats: { product_count: agent.core.catalog.products.size },
    });
    const sold = await fetch(`${agent.baseUrl}/api/public/agent-products?url=${url}`);
    const { products } = (await sold.json()) as { products: unknown[] };
    expect(products).toHaveLength(agent.core.catalog.products.size);
  });

  it('[R15] publishes its own side: an adagents.json that is good by the public schema, and that its own crawl reads without a problem and finds this agent in', async () => {
    const port = await freePort();
    const env = { PORT: String(port), LOOPBACK_PUBLISHERS: `northlightmedia.example=${port}` };
    agent = await startTestAgent(store, { working: false, env });
    const response = await fetch(`${agent.baseUrl}/.well-known/adagents.json`);
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(publicAdAgentsSchema()(await response.json())).toBe('');
    const url = `${agent.baseUrl}/api/registry/publishers/northlightmedia.example/crawl`;
    const crawled = await fetch(url, { method: 'POST' });
    expect(await crawled.json()).toMatchObject({
      source_url: `http://127.0.0.1:${port}/.well-known/adagents.json`,
      authorized_agents: [{ url: agent.baseUrl }],
      properties_count: agent.core.catalog.properties.size,
      problems: [],
    });
  });

  it('[R14] believes X-Forwarded-For only behind the proxies it is told of', async () => {
    const leftFor = async (address: string) => {
      const answer = await fetch(`${agent?.baseUrl ?? ''}/api/registry/operator?domain=x.example`, {
        headers: { 'x-forwarded-for': address },
      });
      return Number(answer.headers.get('ratelimit-remaining'));
    };
    agent = await startTestAgent(store, { working: false, env: { TRUST_PROXY: '1' } });
    const first = await leftFor('203.0.113.7');
    expect(await leftFor('203.0.113.8')).toBe(first);
    expect(await leftFor('203.0.113.7')).toBe(first - 1);
    await agent.stop();
    agent = await startTestAgent(store, { working: false });
    const own = await leftFor('203.0.113.7');
    expect(await leftFor('203.0.113.8')).toBe(own - 1);
  });
});
