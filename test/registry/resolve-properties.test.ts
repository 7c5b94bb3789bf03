import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import type { AuthorizationSource } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';

import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { describeOnStores } from '../support/stores.ts';

describeOnStores('POST /api/properties/resolve/bulk on %s', (kind) => {
  let at: Registry;
  const seen_at = '2026-01-01T00:00:00.000Z';
  const site = { property_id: 'web', property_type: 'website', name: 'News', identifiers: [], tags: ['news'] };

  beforeAll(async () => {
    at = await startRegistry(kind);
    await at.store.collection(publishers).insert({
      publisher_domain: 'news.example',
      source: 'adagents_json',
      verified: true,
      properties: [site],
      created_at: seen_at,
      updated_at: seen_at,
      revision: 1,
    });
    const grant = (agent_url: string, source: AuthorizationSource, authorized_for: string) => ({
      authorization_id: authorizationId('news.example', agent_url, source),
      publisher_domain: 'news.example',
      agent_url,
      authorized_for,
      source,
      source_url: null,
      seen_at,
      revision: 1,
    });
    await at.store
      .collection(authorizations)
      .insertMany([
        grant('https://a.example', 'adagents_json', 'display'),
        grant('https://a.example', 'hosted', 'everything'),
        grant('https://b.example', 'adagents_json', 'video'),
      ]);
  });
  afterAll(() => at.close());

  const resolve = (domains: unknown) => at.post('/api/properties/resolve/bulk', { domains });

  it('[R4] refuses what would come to a longer answer than one may have, whatever a publisher is called', async () => {
    const properties = Array.from({ length: 900 }, (_, n) => ({
      ...site,
      property_id: `p${n}`,
      name: 'x'.repeat(1_000),
    }));
    await at.store.collection(publishers).insert({
      ...{ publisher_domain: 'long.example', source: 'adagents_json', verified: true, properties },
      ...{ created_at: seen_at, updated_at: seen_at, revision: 1 },
    });
    const spelt = (count: number) => Array.from({ length: count }, (_, n) => `https://long.example/${n}`);
    const few = await resolve(spelt(3));
    expect(Object.values((few.body as { results: Record<string, { properties: unknown }> }).results)).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ properties }) as unknown),
    );
    const many = await resolve(spelt(100));
    expect([many.status, many.body]).toMatchObject([400, { field: 'domains' }]);
  });

  it('[R4] [S1] answers each input, whatever it is called', async () => {
    const answer = await resolve(['__proto__', 'constructor', 'news.example', '__proto__', 'toString', '']);
    const { results } = JSON.parse(answer.text) as { results: Record<string, unknown> };
    expect(Object.entries(results).map(([input, found]) => [input, found === null])).toEqual([
      ['__proto__', true],
      ['constructor', true],
      ['news.example', false],
      ['toString', true],
      ['', true],
    ]);
  });

  it('[R4] [C.resources.resolve] keys results by each input as sent, with null for the unknown', async () => {
    const answer = await resolve([
      'News.example',
      'https://www.news.example/x',
      'none.example',
      'no domain',
      'news.example',
    ]);
    expect(answer.status).toBe(200);
    const { results } = answer.body as { results: Record<string, unknown> };
    expect(Object.keys(results)).toEqual([
      'News.example',
      'https://www.news.example/x',
      'none.example',
      'no domain',
      'news.example',
    ]);
    expect(results['none.example']).toBeNull();
    expect(results['no domain']).toBeNull();
    expect(results['News.example']).toEqual(results['news.example']);
    expect(results['https://www.news.example/x']).toEqual(results['news.example']);
  });

  it('[R4, R15] tells source, properties and agents, and lets the hosted entry for an agent win', async () => {
    const { results } = (await resolve(['news.example'])).body as { results: Record<string, Record<string, unknown>> };
    expect(results['news.example']).toMatchObject({
      publisher_domain: 'news.example',
      source: 'adagents_json',
      verified: true,
      seen_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      properties: [site],
    });
    expect(results['news.example']?.['authorized_agents']).toHaveLength(2);
    expect(results['news.example']?.['authorized_agents']).toMatchObject([
      { url: 'https://a.example', authorized_for: 'everything' },
      { url: 'https://b.example', authorized_for: 'video' },
    ]);
  });

  it.each([
    ['none', []],
    ['101', Array.from({ length: 101 }, (_, i) => `d${i}.example`)],
    ['a number', [1]],
  ])('[R4] [C.limits.resolve-domains] refuses %s domains with 400', async (_what, domains) => {
    const answer = await resolve(domains);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: expect.any(String) as string });
  });

  it('[R4] takes 100 domains', async () => {
    const answer = await resolve(Array.from({ length: 100 }, (_, i) => `d${i}.example`));
    expect(Object.keys((answer.body as { results: object }).results)).toHaveLength(100);
  });

  const burst = async (address: (i: number) => string, count: number) => {
    const answers = [];
    for (let i = 0; i < count; i++) answers.push(await resolve(['news.example']).set('X-Forwarded-For', address(i)));
    return answers;
  };

  it('[R4, R14] allows 20 requests a minute from one address and answers 429 with when to come back', async () => {
    const answers = await burst(() => '198.51.100.7', 21);
    expect(answers.slice(0, 20).every((answer) => answer.status === 200)).toBe(true);
    const refused = answers[20];
    expect(refused?.status).toBe(429);
    const wait = Number(refused?.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(refused?.body).toEqual({
      error: expect.stringContaining('at most 20 requests a minute') as string,
      retry_after: wait,
      budget: {
        ...{ name: 'resolve_properties', size: 20, unit: 'requests a minute' },
        free_at: expect.any(String) as string,
      },
    });
    expect(refused?.headers).toMatchObject({ 'ratelimit-limit': '20', 'ratelimit-remaining': '0' });
    expect((await resolve(['news.example']).set('X-Forwarded-For', '::ffff:198.51.100.7')).status).toBe(429);
    expect((await resolve(['news.example']).set('X-Forwarded-For', '198.51.100.8')).status).toBe(200);
  });

  it('[R14] [C.limits.resolve-rate] counts 20 requests a minute from one address over all copies of the server', async () => {
    const limitsOf = `copies-${randomUUID()}`;
    const copies = [await startRegistry('sqlite', { limitsOf }), await startRegistry('sqlite', { limitsOf })];
    const ask = (i: number) =>
      copies[i % 2]
        ?.post('/api/properties/resolve/bulk', { domains: ['a.example'] })
        .set('X-Forwarded-For', '203.0.113.20');
    const statuses = [];
    for (let i = 0; i < 22; i++) statuses.push((await ask(i))?.status);
    expect(statuses).toEqual([...Array<number>(20).fill(200), 429, 429]);
    for (const copy of copies) await copy.close();
  });

  it('[R14] counts one IPv6 /64 as one address, and counts refused bodies too', async () => {
    const answers = await burst((i) => `2001:db8:1:2:${i.toString(16)}::${i.toString(16)}`, 20);
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect((await resolve([]).set('X-Forwarded-For', '2001:db8:1:2::9')).status).toBe(429);
    expect((await resolve(['a.example']).set('X-Forwarded-For', '2001:db8:1:3::9')).status).toBe(200);
  });
});
