import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blockedDomainFinder } from '../../src/directory/blocked-domain/blocked-domain.ts';
import type { PropertyReport } from '../../src/directory/property-report/property-report.ts';
import { propertyReports, REPORT_RETENTION_MS } from '../../src/directory/property-report/property-report.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import type { PublisherSource } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { blankState } from '../../src/registry/crawl/crawl-state.ts';
import { judgeDomains, sortDomains } from '../../src/registry/check-properties/sort-domains.ts';

import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { describeOnStores } from '../support/stores.ts';

describeOnStores('POST /api/properties/check on %s', (kind) => {
  let at: Registry;

  beforeAll(async () => {
    at = await startRegistry(kind);
    const row = (publisher_domain: string, source: PublisherSource) => ({
      publisher_domain,
      source,
      verified: true,
      properties: [],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      revision: 1,
    });
    await at.store
      .collection(publishers)
      .insertMany([
        { ...row('news.example', 'adagents_json'), seen_at: '2026-01-02T00:00:00.000Z' },
        row('hosted.example', 'hosted'),
        row('shop.example', 'catalog'),
      ]);
  });
  afterAll(() => at.close());

  const check = async (domains: unknown) => {
    const answer = await at.post('/api/properties/check', { domains });
    expect(answer.status).toBe(200);
    return answer.body as PropertyReport;
  };

  it('[R2] [C.resources.check-report] [C.endpoints.check] puts every input into one bucket, in input order, and adds up', async () => {
    const report = await check([
      'news.example',
      'www.other.example',
      'NEWS.example',
      'adserver.example',
      'x.y.adserver.example',
      'm.third.example',
      'unknown.example',
      'https://Fourth.example/path',
      'not a domain',
      'shop.example',
      'hosted.example',
      'www.other.example',
    ]);
    const expires_at = toTimestamp(at.clock.now() + REPORT_RETENTION_MS);
    expect(report).toEqual({
      summary: { total: 12, remove: 4, modify: 3, assess: 2, ok: 3 },
      remove: [
        { input: 'NEWS.example', canonical: 'news.example', reason: 'duplicate' },
        {
          input: 'adserver.example',
          canonical: 'adserver.example',
          reason: 'blocked',
          domain_type: 'ad_server',
          blocked_reason: 'serves ads',
        },
        {
          input: 'x.y.adserver.example',
          canonical: 'x.y.adserver.example',
          reason: 'blocked',
          domain_type: 'ad_server',
          blocked_reason: 'serves ads',
        },
        { input: 'www.other.example', canonical: 'other.example', reason: 'duplicate' },
      ],
      modify: [
        { input: 'www.other.example', canonical: 'other.example', reason: 'www_stripped' },
        { input: 'm.third.example', canonical: 'third.example', reason: 'm_stripped' },
        { input: 'https://Fourth.example/path', canonical: 'fourth.example', reason: 'normalized' },
      ],
      assess: [{ domain: 'unknown.example' }, { domain: 'not a domain' }],
      ok: [
        { domain: 'news.example', source: 'adagents_json', seen_at: '2026-01-02T00:00:00.000Z' },
        // Of before, and nothing has changed it since.
        { domain: 'shop.example', source: 'catalog' },
        { domain: 'hosted.example', source: 'hosted' },
      ],
      report_id: expect.any(String) as string,
      expires_at,
    });
    // Whatever changes a row, it says from then on when it was seen.
    const rows = at.store.collection(publishers);
    const updated_at = '2026-01-03T00:00:00.000Z';
    await rows.update('shop.example', (row) => ({ ...row, updated_at }));
    const started_at = '2026-01-04T00:00:00.000Z';
    await rows.update('news.example', (row) => ({ ...row, crawl: blankState(started_at) }));
    expect((await check(['shop.example', 'news.example'])).ok).toEqual([
      { domain: 'shop.example', source: 'catalog', seen_at: updated_at },
      { domain: 'news.example', source: 'adagents_json', seen_at: started_at },
    ]);
  });

  it('[R2] takes an empty list, and does not block what merely ends like a blocked name', async () => {
    expect((await check([])).summary).toEqual({ total: 0, remove: 0, modify: 0, assess: 0, ok: 0 });
    expect((await check(['notadserver.example', 'host.example'])).summary.assess).toBe(2);
  });

  it('[R3] [C.limits.report] keeps the report for 7 days, then neither answers nor stores it', async () => {
    const report = await check(['news.example', 'www.x.example']);
    const path = `/api/properties/check/${report.report_id}`;
    expect((await at.get(path)).body).toEqual(report);
    at.clock.advance(7 * 24 * 3_600_000 - 1);
    expect((await at.get(path)).status).toBe(200);
    at.clock.advance(1);
    expect((await at.get(path)).status).toBe(404);
    expect(await at.store.collection(propertyReports).get(report.report_id)).toBeUndefined();
  });

  it('[R3] answers 404 with an error for a report that never was', async () => {
    const answer = await at.get('/api/properties/check/0b4b8f3e-0000-4000-8000-000000000000');
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: expect.stringContaining('no such report') as string });
  });

  it('[C.resources.check-request] [C.limits.check-domains] takes 10000 domains and refuses 10001', async () => {
    const domains = Array.from({ length: 10_001 }, (_, i) => `d${i}.example`);
    expect((await check(domains.slice(1))).summary).toMatchObject({ total: 10_000, assess: 10_000 });
    const answer = await at.post('/api/properties/check', { domains });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'domains: send at most 10000 domains', field: 'domains' });
  });

  it.each([
    ['nothing', undefined],
    ['no domains', {}],
    ['null', { domains: null }],
    ['one text', { domains: 'a.example' }],
    ['a number among them', { domains: ['a.example', 7] }],
    ['a list at the top', ['a.example']],
  ])('[C.errors.check] answers 400 with an error for a body with %s', async (_what, body) => {
    const answer = await at.post('/api/properties/check', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: expect.any(String) as string });
  });

  it('answers 400 for malformed JSON, 415 for another type and 413 for too much', async () => {
    const raw = (type: string, body: string) => at.post('/api/properties/check').set('Content-Type', type).send(body);
    expect((await raw('application/json', '{"domains":[')).body).toEqual({
      error: 'the body is not valid JSON in UTF-8',
    });
    expect((await raw('application/json', '{"domains":[')).status).toBe(400);
    expect((await raw('text/plain', '{"domains":[]}')).status).toBe(415);
    const large = await raw('application/json', JSON.stringify({ domains: ['x'.repeat(4_000_001)] }));
    expect(large.status).toBe(413);
    expect(large.body).toEqual({ error: expect.stringContaining('4000000 bytes') as string });
  });

  it('[R2] [S1] assesses what is longer than any domain, and shows it cut', async () => {
    const url = `https://www.news.example/${'x'.repeat(300)}`;
    const report = await check(['x'.repeat(3_900_000), url, '\u{1f600}'.repeat(200), `${'x'.repeat(240)}.example.com`]);
    expect(report.summary).toEqual({ total: 4, remove: 0, modify: 1, assess: 3, ok: 0 });
    expect(report.assess).toEqual([
      { domain: `${'x'.repeat(253)}…` },
      { domain: `${'\u{1f600}'.repeat(126)}…` },
      { domain: `${'x'.repeat(240)}.example.com` },
    ]);
    expect(report.modify).toEqual([
      { input: `${url.slice(0, 253)}…`, canonical: 'news.example', reason: 'www_stripped' },
    ]);
  });

  it('[S1] refuses what nests without end, as it refuses what has no end of numbers', async () => {
    const raw = (body: string) => at.post('/api/properties/check').set('Content-Type', 'application/json').send(body);
    expect((await raw('['.repeat(3_900_000))).body).toEqual({ error: 'the body nests deeper than 64 levels' });
    const numbers = await raw(`{"domains":[${'1,'.repeat(1_900_000)}1]}`);
    expect([numbers.status, numbers.body]).toEqual([
      400,
      { error: 'domains: an array has at most 20000 elements', field: 'domains' },
    ]);
  });

  it('[R14] says how its limit stands, and lets any site read it', async () => {
    const answer = await at.post('/api/properties/check', { domains: [] });
    expect(answer.headers).toMatchObject({
      'ratelimit-limit': '60',
      'ratelimit-remaining': '59',
      'access-control-allow-origin': '*',
    });
  });
});

describe('sorting domains', () => {
  it('[R2] puts every input into exactly one bucket, whatever is sent', async () => {
    const findBlocked = blockedDomainFinder([{ domain: 'b.com', domain_type: 'cdn', blocked_reason: 'b' }]);
    const input = fc.oneof(
      fc.string(),
      fc.constantFrom('a.com', 'www.a.com', 'A.com', 'b.com', 'x.b.com', 'c.com', 'm.c.com', '', 'www.b.com'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(input, { maxLength: 30 }), async (domains) => {
        const verdicts = await judgeDomains(domains, findBlocked);
        const { summary, ...buckets } = sortDomains(verdicts, (domain) =>
          domain === 'a.com' ? { source: 'hosted' } : undefined,
        );
        expect(summary.total).toBe(domains.length);
        expect(summary.remove + summary.modify + summary.assess + summary.ok).toBe(domains.length);
        for (const name of ['remove', 'modify', 'assess', 'ok'] as const)
          expect(buckets[name]).toHaveLength(summary[name]);
        const canonicals = [
          ...buckets.modify.map((item) => item.canonical),
          ...buckets.ok.map((item) => item.domain),
          ...buckets.remove.filter((item) => item.reason === 'blocked').map((item) => item.canonical),
        ];
        expect(new Set(canonicals).size).toBe(canonicals.length);
      }),
    );
  });
});
