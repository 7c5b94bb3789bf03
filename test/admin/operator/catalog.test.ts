import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../../journeys/support/buyer.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { runAgentCommand } from '../../main/support/cli.ts';
import { textOf, visitorOf } from '../console/support/visitor.ts';

type Row = Record<'product_id' | 'name', string> & { score: number | null; match_reason: string };

const BRIEF = 'ctv for sports fans in the US';

describe('the catalog, as people at the seller see it', () => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false });
  });
  afterAll(() => agent.stop());

  const get = async (path: string) => (await operate(agent, 'GET', path)).body;
  const rowsOf = async (query: string) => (await get(`/catalog/products?${query}`))['products'] as Row[];

  it('[O1] is what a buyer is answered to the same brief, with the same scores and in the same order', async () => {
    const buyers = (await ask(agent, 'get_products', { brief: BRIEF, limit: 100 }))['products'] as Row[];
    const ours = await rowsOf(new URLSearchParams({ brief: BRIEF, limit: '100' }).toString());
    const shown = ({ product_id, score, match_reason }: Row) => ({ product_id, score, match_reason });
    expect(ours.map(shown)).toEqual(buyers.map(shown));
    expect(ours[0]?.score).toBe(1);
  });

  it('[O1] is listed whole, page by page, and by channel', async () => {
    const { total_matching } = await get('/catalog/products?limit=1');
    expect(total_matching).toBe(agent.core.catalog.products.size);
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page = await get(`/catalog/products?limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...(page['products'] as Row[]).map(({ product_id }) => product_id));
      cursor = page['cursor'] as string | undefined;
    }
    expect(seen).toEqual([...agent.core.catalog.products.keys()]);
    const podcasts = [...agent.core.catalog.products.values()].filter(({ channels }) => channels.includes('podcast'));
    expect((await rowsOf('channel=podcast')).map(({ product_id }) => product_id).sort()).toEqual(
      podcasts.map(({ product_id }) => product_id).sort(),
    );
    expect((await operate(agent, 'GET', '/catalog/products?channel=smoke')).status).toBe(422);
  });

  it('[O1] shows a product whole, with what only the ad server is told', async () => {
    const [first] = await rowsOf('limit=1');
    const product = agent.core.catalog.products.get(first?.product_id ?? '');
    const shown = await get(`/catalog/products/${first?.product_id ?? ''}`);
    expect(shown).toMatchObject({ ...product });
    expect((shown['formats'] as object[]).length).toBe(product?.format_ids.length);
    expect((await operate(agent, 'GET', '/catalog/products/none')).status).toBe(404);
  });

  it('[O1.pages] is found by a brief on a page, which tells back what was asked as text', async () => {
    const viewer = await visitorOf(agent, 'viewer');
    const brief = '"><script>alert(1)</script> podcast';
    const { status, html } = await viewer.get(`/catalog?${new URLSearchParams({ brief }).toString()}`);
    expect(status).toBe(200);
    expect(html).not.toContain('<script>');
    expect(textOf(html)).toContain(`value="${brief}"`);
    const [best] = await rowsOf(new URLSearchParams({ brief }).toString());
    expect(textOf(html)).toContain(best?.match_reason);
    const one = await viewer.get(`/catalog/${best?.product_id ?? ''}`);
    expect([one.status, textOf(one.html).includes(best?.name ?? '')]).toEqual([200, true]);
  });

  it('[O1] is found by a brief at a terminal', async () => {
    const as = ['--url', agent.baseUrl, '--key', await operatorKey(agent.core)];
    const { stdout } = await runAgentCommand(['catalog', 'list', '--brief', BRIEF, ...as], {});
    const [best] = await rowsOf(new URLSearchParams({ brief: BRIEF }).toString());
    expect(stdout.split('\n')[1]).toContain(best?.product_id);
    const shown = await runAgentCommand(['catalog', 'show', best?.product_id ?? '', ...as], {});
    expect(JSON.parse(shown.stdout)).toMatchObject({ product_id: best?.product_id });
  });
});
