import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', { working: false });
});
afterAll(() => agent.stop());

interface Front {
  name: string;
  links: { url: string; title: string; about: string }[];
}

it('whoever comes to the address of the agent is told what it is, and each place it names is there', async () => {
  const page = await fetch(agent.baseUrl, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await page.text();
  expect(html).toContain(agent.core.catalog.publisher.name);
  const data = await fetch(agent.baseUrl, { headers: { accept: 'application/json' } });
  expect(data.headers.get('vary')).toContain('Accept');
  const { name, links } = (await data.json()) as Front;
  expect(name).toBe(agent.core.catalog.publisher.name);
  expect(links.length).toBeGreaterThan(3);
  for (const { url } of links) {
    expect(html).toContain(`href="${url.slice(agent.baseUrl.length)}"`);
    const there = await fetch(url, { redirect: 'follow' });
    await there.body?.cancel();
    expect([200, 401, 405], url).toContain(there.status);
  }
});

it('has the mark that browsers ask for', async () => {
  const mark = await fetch(`${agent.baseUrl}/favicon.ico`);
  expect(mark.status).toBe(200);
  expect(mark.headers.get('content-type')).toContain('image/svg+xml');
  expect(await mark.text()).toMatch(/^<svg /);
});
