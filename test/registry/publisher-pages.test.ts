import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RegistryClient } from '../../packages/adcp-buyer/src/registry.ts';
import { agents } from '../../src/directory/agent/agent.ts';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const HOSTILE = `<script>document.title="taken"</script><img src=x onerror="document.title='taken'">"'`;
const SELLER = 'https://seller.example';

describeOnStores('what the registry shows of a publisher on %s', (kind) => {
  let at: Registry;
  let origin: string;
  let domain: string;
  let answer: (response: ServerResponse) => void;

  beforeAll(async () => {
    at = await startRegistry(kind, { adAgentsUrl: () => origin });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    domain = `p-${randomUUID()}.example`;
    ({ origin } = await serveHttp((_request, response) => {
      answer(response);
    }));
  });

  const says = (entries: object[], more: object = {}) => {
    answer = (response) => {
      json(response, { authorized_agents: entries, ...more });
    };
  };
  const crawl = async () => {
    at.clock.advance(1);
    return (await at.post(`/api/registry/publishers/${domain}/crawl`)).status;
  };
  const site = (name = 'Site') => ({
    ...{ property_id: 'web', property_type: 'website', name },
    identifiers: [{ type: 'domain', value: domain }],
  });
  const entry = (url: string, more: object = {}) => ({ url, authorized_for: 'display', ...more });
  const status = () => at.get(`/api/registry/publishers/${domain}`);
  const history = (query = '') => at.get(`/api/registry/publishers/${domain}/history${query}`);
  const page = (name = domain) => at.get(`/registry/publishers/${name}`);
  interface History {
    changes: { cursor: string; type: string; summary: string }[];
    has_more: boolean;
    cursor?: string;
  }

  describe('[R15.shown] the status', () => {
    it('has file, crawls, problems, properties and agents as they are judged now', async () => {
      const until = toTimestamp(at.clock.now() + 3_600_000);
      const over = toTimestamp(at.clock.now() - 3_600_000);
      says([entry('https://over.example', { effective_until: over }), entry(SELLER, { effective_until: until }), {}], {
        properties: [site()],
      });
      expect((await status()).status).toBe(404);
      expect(await crawl()).toBe(200);
      const shown = await status();
      expect(shown.headers['cache-control']).toBe('public, max-age=30');
      expect(shown.body).toMatchObject({
        ...{ publisher_domain: domain, source: 'adagents_json', verified: true, source_url: origin },
        ...{
          properties_count: 1,
          properties: [{ property_id: 'web', name: 'Site' }],
          manager_domain: null,
          owner: null,
        },
        crawl: { last_error: null, failures: 0, failing_since: null, last_success_at: toTimestamp(at.clock.now()) },
        sellers: `/api/registry/publishers/${domain}/sellers`,
        problems: ['authorized_agents[0] is over', 'authorized_agents[2] has no usable url'],
        ...{ agents_count: 2, authorized_count: 1 },
        agents: [
          { agent_url: SELLER, authorized: true, code: 'authorized', valid_until: until },
          { agent_url: 'https://over.example', authorized: false, code: 'expired', valid_until: over },
        ],
      });
      at.clock.advance(3_600_000);
      expect((await status()).body).toMatchObject({
        authorized_count: 0,
        agents: [{ code: 'expired' }, { code: 'expired' }],
      });
    });

    it('says how often, and since when, the file could not be read', async () => {
      says([entry(SELLER)]);
      await crawl();
      answer = (response) => {
        response.writeHead(500).end();
      };
      at.clock.advance(1000);
      const since = toTimestamp(at.clock.now() + 1);
      expect(await crawl()).toBe(502);
      expect(await crawl()).toBe(502);
      expect((await status()).body).toMatchObject({
        crawl: { last_error: expect.any(String) as string, failures: 2, failing_since: since },
        authorized_count: 1,
      });
      says([entry(SELLER)]);
      await crawl();
      expect((await status()).body).toMatchObject({ crawl: { last_error: null, failures: 0, failing_since: null } });
    });

    it('[T5] shows the part of owners to those who manage the organization that has the domain, and to nobody else', async () => {
      says([entry(SELLER)]);
      await crawl();
      const sub = randomUUID();
      const owner_id = userIdOf(ISSUER, sub);
      const { organization_id } = await at.organization({
        owner_id,
        corporate_domain: domain,
        domain_verified_by: 'dns',
      });
      const other = await at.apiKey((await at.organization({})).organization_id);
      const owner = await at.token({ sub });
      const seen = async (credential: string) => {
        const shown = await status().set({ Authorization: `Bearer ${credential}` });
        expect(shown.headers['cache-control']).toBe('no-store');
        return (shown.body as { owner: unknown }).owner;
      };
      expect(await seen(owner)).toEqual({ organization_id, pending_location: null, webhooks_count: 0 });
      expect(await seen(other)).toBeNull();
    });

    it('refuses what is no domain', async () => {
      const shown = await at.get('/api/registry/publishers/no%20domain');
      expect([shown.status, shown.body]).toMatchObject([400, { field: 'domain' }]);
    });
  });

  describe('[R15.history] the history', () => {
    it('has what each crawl changed, newest first, page by page', async () => {
      says([entry(SELLER)], { properties: [site()] });
      await crawl();
      await crawl();
      says([entry('https://new.example')], { properties: [site('Renamed')] });
      await crawl();
      const all = (await history()).body as History;
      const ofPublisher = all.changes.filter(({ type }) => type.startsWith('publisher.'));
      expect(ofPublisher).toMatchObject([
        {
          ...{ type: 'publisher.changed', summary: 'agents added: 1, agents removed: 1, properties changed: 1' },
          agents: { added: { count: 1, names: ['https://new.example'] }, removed: { names: [SELLER] } },
          properties: { changed: { names: ['web'] } },
        },
        { type: 'publisher.added', summary: 'agents added: 1, properties added: 1' },
      ]);
      const paged: string[] = [];
      let cursor: string | undefined = '';
      while (cursor !== undefined) {
        const one = (await history(`?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)).body as History;
        paged.push(...one.changes.map((change) => change.cursor));
        expect(one.has_more).toBe(one.cursor !== undefined);
        cursor = one.cursor;
      }
      expect(paged).toEqual(all.changes.map((change) => change.cursor));
      expect([...paged].sort((a, b) => Number(b) - Number(a))).toEqual(paged);
      for (const query of ['?limit=101', '?cursor=made-up', '?page=2']) expect((await history(query)).status).toBe(400);
    });

    it('has the shape of the public registry, too', async () => {
      const read = async (query: string) => at.get(`/api/properties/history?domain=${domain}${query}`);
      const unknown = await read('');
      expect([unknown.status, unknown.body]).toMatchObject([404, { domain }]);
      for (const name of ['one', 'two', 'three']) {
        says([entry(`https://${name}.example`)]);
        await crawl();
      }
      const whole = (await read('')).body as { revisions: { revision_number: number }[] };
      expect(whole).toMatchObject({
        ...{ domain, total: 3 },
        revisions: [
          { edit_summary: 'agents added: 1, agents removed: 1', is_rollback: false, source: 'adagents_json' },
          { edit_summary: 'agents added: 1, agents removed: 1' },
          { edit_summary: 'agents added: 1', editor_name: "the publisher's adagents.json" },
        ],
      });
      const { origin: here } = await serveHttp((request, response) => {
        at.app(request, response);
      });
      const client = new RegistryClient({ baseUrl: here });
      expect(await client.getPropertyHistory({ domain })).toEqual(whole);
      expect(await client.getPropertyHistory({ domain: `none-${domain}` })).toBeNull();
      const second = await read('&limit=1&offset=1');
      expect(second.body).toEqual({ domain, total: 3, revisions: whole.revisions.slice(1, 2) });
      expect((await read('&offset=501')).status).toBe(400);
    });
  });

  describe('[R15.shown] the pages', () => {
    const POLICY =
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; frame-ancestors 'none'; form-action 'none'$/;
    const hostile = () => {
      says([entry(SELLER, { authorized_for: HOSTILE, effective_until: toTimestamp(at.clock.now() + 3_600_000) })], {
        properties: [{ ...site(HOSTILE), property_type: HOSTILE, tags: [HOSTILE] }],
      });
      return crawl();
    };

    it('say who may sell and until when, escape what is not ours, and run and load nothing', async () => {
      await hostile();
      const shown = await page();
      expect([shown.status, shown.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(shown.headers['content-security-policy']).toMatch(POLICY);
      expect(shown.headers['x-robots-tag']).toBeUndefined();
      expect(shown.text).toContain(
        `<link rel="canonical" href="https://registry.test.example/registry/publishers/${domain}">`,
      );
      expect(shown.text).toContain(`until ${toTimestamp(at.clock.now() + 3_600_000).slice(0, 10)}`);
      expect(shown.text).toContain('&#60;script&#62;');
      expect(shown.text).not.toMatch(/<script|<img|<iframe|onerror="/);
      const link = /<a href="(\/registry\/agents\/[^"]+)">/.exec(shown.text)?.[1] ?? '';
      const other = await at.get(link);
      expect([other.status, other.headers['content-security-policy']]).toEqual([200, expect.stringMatching(POLICY)]);
      expect(other.text).toContain(`<a href="/registry/publishers/${domain}">${domain}</a>`);
      expect(other.text).toContain('<link rel="canonical" href="https://registry.test.example/registry/agents/');
      expect(other.text).not.toMatch(/<script|<img/);
    });

    it('say what changed, newest first, and where all of that is', async () => {
      says([entry(SELLER)]);
      await crawl();
      says([]);
      await crawl();
      const { text } = await page();
      expect(text).toMatch(/agents removed: 1.*agents added: 1/);
      expect(text).toContain(`<a href="/api/registry/publishers/${domain}/history">`);
    });

    it('are 404 and not to be indexed for what is unknown, and for an agent that is private', async () => {
      const { organization_id } = await at.organization({});
      const url = `https://a-${randomUUID()}.example`;
      const now = toTimestamp(at.clock.now());
      await at.store.collection(agents).insert({
        ...{ agent_id: randomUUID(), url, organization_id, name: 'Hidden name', type: 'sales', visibility: 'private' },
        ...{ created_at: now, updated_at: now, revision: 1 },
      });
      for (const path of [`/registry/publishers/${domain}`, `/registry/agents/${encodeURIComponent(url)}`]) {
        const shown = await at.get(path);
        expect([shown.status, shown.headers['x-robots-tag']]).toEqual([404, 'noindex']);
        expect(shown.text).toContain('<meta name="robots" content="noindex">');
        expect(shown.text).not.toMatch(/rel="canonical"|Hidden name/);
      }
      expect((await page()).text).toContain(`<code>POST /api/registry/publishers/${domain}/crawl</code>`);
    });

    it.skipIf(browserPath() === undefined)('fit a telephone and follow light and dark, in a browser', async () => {
      await hostile();
      const { text, headers } = await page();
      const served = await serveHttp((_request, response) => {
        response.writeHead(200, {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': String(headers['content-security-policy']),
        });
        response.end(text);
      });
      const browser = await chromium.launch({ executablePath: browserPath() ?? '', args: ['--no-sandbox'] });
      try {
        const colors: string[] = [];
        for (const colorScheme of ['light', 'dark'] as const) {
          const context = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme });
          const opened = await context.newPage();
          const problems: string[] = [];
          opened.on('console', (message) => problems.push(message.text()));
          await opened.goto(served.origin);
          expect(await opened.title()).toBe(`${domain} · registry`);
          expect(await opened.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
          colors.push(String(await opened.evaluate('getComputedStyle(document.documentElement).color')));
          expect(problems.filter((text) => !text.includes('favicon'))).toEqual([]);
          await context.close();
        }
        expect(new Set(colors).size).toBe(2);
      } finally {
        await browser.close();
      }
    });
  });
});

function browserPath(): string | undefined {
  const names = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => [join(folder, 'chromium'), join(folder, 'chromium-browser')]);
  return names.find((name) => {
    try {
      accessSync(name, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
