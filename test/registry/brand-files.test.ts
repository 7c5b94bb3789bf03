import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { brandDocuments } from '../../src/directory/brand/brand-document.ts';
import { brandNames } from '../../src/directory/brand/brand-name.ts';
import { registryBrands } from '../../src/directory/brand/registry-brand.ts';
import { createBudgets } from '../../src/platform/budget/budgets.ts';
import { noCounters } from '../../src/platform/metrics/metrics.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { createRateLimiter } from '../../src/platform/redis/rate-limit-redis.ts';
import { allRows } from '../../src/platform/store/all-rows.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { askForBrand } from '../../src/registry/brands/ask-for-brand.ts';
import { brandFiles } from '../../src/registry/brands/look.ts';
import { silent } from '../directory/support/installation.ts';
import { describeOnStores } from '../support/stores.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { LONG_MS } from '../support/until.ts';
import { json } from './support/agents.ts';
import { brandWorld } from './support/brand-world.ts';
import type { BrandWorld } from './support/brand-world.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FETCHES = 40;
const leaf = (id: string, more: object = {}) => ({ id, names: [{ en: id }], ...more });
type Told = Record<string, unknown>;

describeOnStores('the brand.json files that the registry keeps on %s', (kind) => {
  let at: Registry;
  let world: BrandWorld;
  let limiter: ReturnType<typeof createRateLimiter>;
  const outbound = createOutbound({ allowLoopback: true });

  beforeAll(async () => {
    world = await brandWorld();
    const connection = process.env['REDIS_TEST_URL'] ?? '';
    limiter = createRateLimiter({ connection, prefix: `brands-${randomUUID()}`, logger: silent });
    const sizes = { brand_fetches: FETCHES, brand_fetches_of_domain: 3 };
    at = await startRegistry(kind, { brandJsonUrl: world.urlOf, sizes });
  });
  afterAll(async () => {
    await at.close();
    await outbound.close();
    await limiter.close();
    world.close();
  });

  const get = async (path: string) => {
    const { status, body } = (await at.get(`/api/brands/${path}`)) as { status: number; body: Told };
    return { status, body };
  };
  const resolve = (domain: string, more = '') => get(`resolve?domain=${domain}${more}`);
  const history = async (domain: string) => {
    const { body } = await get(`history?domain=${domain}`);
    const revisions = body['revisions'] as { revision_number: number; edit_summary: string }[];
    return revisions.map(({ revision_number, edit_summary }) => `${revision_number} ${edit_summary}`);
  };
  const bulk = async (domains: string[], from: string) => {
    const asked = at.post('/api/brands/resolve/bulk', { domains }).set('X-Forwarded-For', from);
    const { status, body } = (await asked) as { status: number; body: { results: Record<string, Told | null> } };
    return { status, results: body.results };
  };
  /** What the endpoint does, by a process that has this store. */
  const ask = (store: Store, domain: string) => {
    const budgets = createBudgets({ limiter, clock: at.clock, counters: noCounters });
    const asking = { address: '198.51.100.20', brandJsonUrl: world.urlOf, probeMs: LONG_MS };
    const call = { store, clock: at.clock, budgets, outbound, ...asking };
    return askForBrand(call, brandFiles(call), domain);
  };

  it('[R16.brand-files] reads a file once in 24 hours, and anew when asked for what is fresh', async () => {
    const domain = world.domain('day');
    world.put(domain, leaf('one'));
    expect((await resolve(domain)).body).toMatchObject({ brand_name: 'one', is_stale: false });
    world.put(domain, leaf('two'));
    at.clock.advance(DAY_MS - 1);
    expect((await resolve(domain)).body).toMatchObject({ brand_name: 'one' });
    expect(world.asked(domain)).toBe(1);
    at.clock.advance(1);
    expect((await resolve(domain)).body).toMatchObject({ brand_name: 'two' });
    world.put(domain, leaf('three'));
    at.clock.advance(60_000 - 1);
    expect((await resolve(domain, '&fresh=true')).body).toMatchObject({ brand_name: 'two' });
    at.clock.advance(1);
    expect((await resolve(domain, '&fresh=true')).body).toMatchObject({ brand_name: 'three' });
    expect(world.asked(domain)).toBe(3);
  });

  it.each([
    ['for an hour that there is no file', 404, HOUR_MS, 404],
    ['a failure for five minutes', 500, 300_000, 502],
  ])('[R16.brand-files] remembers %s', async (_, answer, ms, status) => {
    const domain = world.domain('none');
    world.put(domain, answer);
    expect(await resolve(domain)).toMatchObject({ status });
    world.put(domain, leaf('there'));
    at.clock.advance(ms - 1);
    expect(await resolve(domain)).toMatchObject({ status });
    at.clock.advance(1);
    expect(await resolve(domain)).toMatchObject({ status: 200, body: { brand_name: 'there' } });
    expect(world.asked(domain)).toBe(2);
  });

  it('[R16.brand-files] believes what cannot be read again for 48 hours, calls it stale, then knows nothing', async () => {
    const domain = world.domain('stale');
    world.put(domain, leaf('known'));
    const { body } = await resolve(domain);
    world.put(domain, 503);
    at.clock.advance(DAY_MS);
    const stale = { status: 200, body: { brand_name: 'known', is_stale: true, seen_at: body['seen_at'] } };
    expect(await resolve(domain)).toMatchObject(stale);
    const gone = { status: 502, body: { code: 'UNREACHABLE', file_status: 503 } };
    expect(await resolve(domain, '&fresh=true')).toMatchObject(gone);
    at.clock.advance(DAY_MS - 1);
    expect(await resolve(domain)).toMatchObject(stale);
    at.clock.advance(300_000);
    expect(await resolve(domain)).toMatchObject(gone);
    expect((await get(`registry?search=${domain}`)).body).toMatchObject({ brands: [], stats: { total: 0 } });
    world.put(domain, leaf('known'));
    at.clock.advance(300_000);
    expect((await resolve(domain)).body).toMatchObject({ brand_name: 'known', is_stale: false });
    expect(await history(domain)).toEqual(['1 the file became known']);
  });

  it('[R16.brand-files] reads anew on the day from which a redirect says that it holds', async () => {
    const domain = world.domain('sold');
    const redirect_effective_at = new Date(at.clock.now() + HOUR_MS).toISOString();
    world.put(domain, { house: 'house.example', redirect_reason: 'acquisition', redirect_effective_at });
    expect((await get(`brand-json?domain=${domain}`)).body).toMatchObject({ fresh_until: redirect_effective_at });
  });

  it('[R16.brand-files] keeps what changed, newest first, twenty changes of it', async () => {
    const domain = world.domain('news');
    const turn = async (answer: object | number) => {
      world.put(domain, answer);
      at.clock.advance(DAY_MS);
      await resolve(domain);
    };
    await turn(leaf('a'));
    await turn(leaf('a'));
    await turn(leaf('b', { logos: [], 'a word of theirs': 1 }));
    await turn(404);
    await turn(404);
    await turn(leaf('b'));
    world.put(`${domain}-else`, leaf('b'));
    await turn({ authoritative_location: world.at(`${domain}-else`) });
    expect(await history(domain)).toEqual([
      '5 the same is served from another place',
      '4 the file is there again',
      '3 the file is gone',
      '2 changed: id, logos, names, other members (1)',
      '1 the file became known',
    ]);
    const gone = { revision_number: 3, source: 'brand_json', is_rollback: false, source_url: null, file_status: 404 };
    const { body } = await get(`history?domain=${domain}&limit=1&offset=2`);
    expect(body).toMatchObject({ domain, total: 5, revisions: [gone] });
    for (let i = 0; i < 17; i++) await turn(leaf(`n${i}`));
    const numbers = (await history(domain)).map((each) => Number(each.split(' ')[0]));
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, i) => 22 - i));
    const documents: string[] = [];
    for await (const { document_id } of allRows(at.store.collection(brandDocuments), { where: {} }))
      if (document_id.startsWith(`${domain}.`)) documents.push(document_id);
    expect(documents).toHaveLength(1);
  });

  it('[R16.brand-files] looks at a domain whose history is asked for first, and forgets what nobody asks for', async () => {
    const [domain, none, nowhere] = [world.domain('first'), world.domain('none'), world.domain('nowhere')];
    world.put(domain, leaf('first'));
    expect(await history(domain)).toEqual(['1 the file became known']);
    expect(await get(`history?domain=${none}`)).toMatchObject({ status: 404, body: { domain: none } });
    expect(await get(`history?domain=${nowhere}`)).toMatchObject({ status: 502, body: { code: 'UNREACHABLE' } });
    at.clock.advance(90 * DAY_MS);
    expect(await at.store.collection(registryBrands).get(domain)).toBeUndefined();
    world.put(domain, leaf('again'));
    expect(await history(domain)).toEqual(['1 the file became known']);
  });

  it('[R16.brand-files] asks a domain once for all processes that want its file at the same time', async () => {
    const domain = world.domain('shared');
    const held = new Promise<ServerResponse>((seen) => {
      world.put(domain, seen);
    });
    const first = resolve(domain).then(({ body }) => body);
    const response = await held;
    let seeWaiting = (): void => undefined;
    const waiting = new Promise<void>((seen) => (seeWaiting = seen));
    const other = withStoreHooks(await at.another(), {
      after: ({ collection, key }, hasWritten) => {
        if (collection === 'leases' && key === `brand ${domain}` && !hasWritten) seeWaiting();
      },
    });
    const second = ask(other, domain);
    await waiting;
    json(response, leaf('shared'));
    expect([await first, (await second).body]).toMatchObject([{ brand_name: 'shared' }, { brand_name: 'shared' }]);
    expect(world.asked(domain)).toBe(1);
  });

  it('[R16.brand-files] is whole again after a process that died at any of its writes', async () => {
    const writes: string[] = [];
    const isOurs = (collection: string) => collection.includes('brand');
    const before = async (domain: string) => {
      world.put(domain, leaf('before'));
      await ask(at.store, domain);
      at.clock.advance(DAY_MS);
      world.put(domain, leaf('after'));
    };
    const counted = world.domain('counted');
    await before(counted);
    const counting = withStoreHooks(at.store, {
      after: ({ collection }) => {
        if (isOurs(collection)) writes.push(collection);
      },
    });
    await ask(counting, counted);
    expect(new Set(writes)).toEqual(new Set(['brand_documents', 'registry_brands', 'brand_names']));
    for (let n = 1; n <= writes.length; n++) {
      const domain = world.domain(`dies${n}`);
      await before(domain);
      let left = n;
      const dying = withStoreHooks(at.store, {
        after: ({ collection }) => {
          if (isOurs(collection) && --left === 0) throw new Error('died');
        },
      });
      await expect(ask(dying, domain), String(n)).rejects.toThrow('died');
      expect((await ask(at.store, domain)).body, String(n)).toMatchObject({ brand_name: 'after' });
      const { body } = await get('find?q=after&limit=50');
      expect(body['results'], String(n)).toContainEqual(expect.objectContaining({ domain }));
      expect((await get('find?q=before')).body, String(n)).toEqual({ results: [] });
      expect(await history(domain), String(n)).toEqual(['2 changed: id, names', '1 the file became known']);
    }
  });

  it('[R16.brand-files] reads a file anew that its row names and that is lost', async () => {
    const domain = world.domain('lost');
    world.put(domain, leaf('here'));
    await resolve(domain);
    const row = await at.store.collection(registryBrands).get(domain);
    await at.store.collection(brandDocuments).delete(row?.file?.document_id ?? '');
    expect(await resolve(domain)).toMatchObject({ status: 200, body: { brand_name: 'here' } });
    expect(world.asked(domain)).toBe(2);
  });

  it('[R16.brand-files] [R16.brands] answers many domains each for itself, eight at once', async () => {
    let underWay = 0;
    let most = 0;
    const waiting: (() => void)[] = [];
    const many = Array.from({ length: 24 }, (_, i) => world.domain(`m${i}`));
    for (const [i, domain] of many.entries())
      world.put(domain, (response) => {
        most = Math.max(most, ++underWay);
        waiting.push(() => {
          underWay--;
          json(response, leaf(`m${i}`));
        });
        // Let go once all that may be on their way are: eight, or what is left of them.
        if (underWay === 8 || i >= 16) for (const letGo of waiting.splice(0)) letGo();
      });
    const [none, house, nowhere] = [world.domain('none'), world.domain('house'), world.domain('nowhere')];
    world.put(house, { house: { domain: house, name: 'H' }, brand_refs: [] });
    const others = [`WWW.${house}`, none, nowhere, 'no domain', '__proto__', many[0] ?? ''];
    const { status, results } = await bulk([...many, ...others], '198.51.100.7');
    expect(status).toBe(200);
    expect(many.map((domain) => results[domain]?.['brand_name'])).toEqual(many.map((_, i) => `m${i}`));
    expect(most).toBe(8);
    expect(results).toMatchObject({
      [`WWW.${house}`]: { brand_name: 'H', canonical_id: house },
      [none]: null,
      [nowhere]: { code: 'UNREACHABLE', domain: nowhere },
      'no domain': { code: 'VALIDATION_ERROR' },
    });
    expect(Object.keys(results)).toContain('__proto__');
    const tooMany = Array.from({ length: 101 }, (_, i) => `d${i}.example`);
    expect(await bulk(tooMany, '198.51.100.7')).toMatchObject({ status: 400 });
    expect(await bulk([], '198.51.100.7')).toMatchObject({ status: 400 });
  });

  it('[R16.brand-files] leaves manifests of a domain out where many are more than one answer takes', async () => {
    const many = Array.from({ length: 10 }, (_, i) => world.domain(`big${i}`));
    for (const domain of many) world.put(domain, leaf('big', { description: 'x'.repeat(250_000) }));
    const { results } = await bulk(many, '198.51.100.8');
    const has = many.map((domain) => 'brand_manifest' in (results[domain] ?? {}));
    expect(has).toEqual(many.map((_, i) => i < 7));
    const last = many.at(-1) ?? '';
    expect(results[last]).toMatchObject({ brand_name: 'big', warnings: [expect.stringContaining('left out')] });
    expect((await resolve(last)).body).toHaveProperty('brand_manifest');
  });

  it('[R16.brand-files] counts what strangers have fetched, and what is known is free', async () => {
    const from = '198.51.100.9';
    const one = (domain = '') => at.get(`/api/brands/resolve?domain=${domain}`).set('X-Forwarded-For', from);
    const many = Array.from({ length: FETCHES + 2 }, () => world.domain('spent'));
    const { results } = await bulk(many, from);
    const refused = many.filter((domain) => results[domain]?.['code'] === 'RATE_LIMITED');
    expect(refused).toHaveLength(2);
    const told = many.filter((domain) => results[domain] === null);
    expect(told).toHaveLength(FETCHES);
    expect(await one(refused[0])).toMatchObject({ status: 429 });
    expect(await one(told[0])).toMatchObject({ status: 404 });
    const above = world.domain('above');
    const statuses = [];
    for (const domain of [...['a', 'b', 'c', 'd'].map((name) => `${name}.${above}`), above])
      statuses.push((await resolve(domain)).status);
    expect(statuses).toEqual([404, 404, 404, 429, 404]);
  });

  it('[R16.pages] [R16.brands] lists brands by domain and finds them by any word of any name', async () => {
    const run = world.domain('list').slice(5, 13);
    const domains = ['a', 'b', 'c'].map((name) => `${run}-${name}.example`);
    const [first = '', second = '', third = ''] = domains;
    const named = (name: string, more: object = {}) => ({ id: 'x', names: [{ de: `${name} ${run}` }], ...more });
    world.put(first, { ...named('Ärger & Söhne', { keller_type: 'master' }) });
    world.put(second, named('ＷＩＤＥ Brothers'));
    world.put(third, { id: 'x', names: [{ de: 'Plain' }, { en: `Alias ${run}` }] });
    for (const domain of domains) expect((await resolve(domain)).status).toBe(200);
    const page = async (more: string) => (await get(`registry?search=${run}&limit=2${more}`)).body;
    const shown = { brand_name: `Ärger & Söhne ${run}`, has_manifest: true, verified: true, keller_type: 'master' };
    expect(await page('')).toMatchObject({
      brands: [{ domain: first, ...shown }, { domain: second }],
      stats: { total: 3, brand_json: 3, community: 0, enriched: 0, has_more: true, next_after: second },
    });
    const last = {
      brands: [{ domain: third, brand_name: `Alias ${run}` }],
      stats: { has_more: false, next_after: null },
    };
    expect(await page(`&after=${second}`)).toMatchObject(last);
    expect(await page('&offset=2')).toMatchObject(last);
    const find = async (q: string) => {
      const { body } = await get(`find?q=${encodeURIComponent(q)}`);
      return (body['results'] as { domain: string }[]).map(({ domain }) => domain).sort();
    };
    expect(await find(`SÖHNE ${run}`)).toEqual([first]);
    expect(await find(`wide  brothers ${run}`)).toEqual([second]);
    expect(await find(`alias ${run}`)).toEqual([third]);
    expect(await find(run)).toEqual(domains);
    expect(await find(`nothing ${run}`)).toEqual([]);
    const turn = async (answer: object | number) => {
      world.put(first, answer);
      at.clock.advance(60_000);
      await resolve(first, '&fresh=true');
    };
    await turn(named('Other'));
    expect(await find(`söhne ${run}`)).toEqual([]);
    expect(await find(`other ${run}`)).toEqual([first]);
    await turn(404);
    expect(await find(run)).toEqual([second, third]);
    const left = { name: { gte: `other ${run}`, lt: `other ${run}~` } };
    expect((await at.store.collection(brandNames).find({ where: left })).rows).toEqual([]);
  });
});
