import { afterAll, beforeAll, expect, it } from 'vitest';
import { keepLook } from '../../src/directory/brand/keep-look.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { fetchBrandFile } from '../../src/registry/brands/fetch-brand-file.ts';
import { describeOnStores } from '../support/stores.ts';
import { brandWorld } from './support/brand-world.ts';
import type { BrandWorld } from './support/brand-world.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const names = (name: string) => [{ fr: `Le ${name}` }, { en_US: name }];
const website = (identifier: string, more: object = {}) => ({ type: 'website', identifier, ...more });
const portfolio = (domain: string, more: object) => ({ version: '1.0', house: { domain, name: 'The House' }, ...more });
const leaf = (id: string, more: object = {}) => ({ id, names: names(id), ...more });
type Told = Record<string, unknown>;

describeOnStores('the brand that a domain stands for on %s', (kind) => {
  let at: Registry;
  let world: BrandWorld;
  const out = createOutbound({ allowLoopback: true });

  beforeAll(async () => {
    world = await brandWorld();
    at = await startRegistry(kind, { brandJsonUrl: world.urlOf });
  });
  afterAll(async () => {
    await at.close();
    await out.close();
    world.close();
  });

  const ask = async (path: string, domain: string) => {
    const asked = at.get(`/api/brands/${path}?domain=${domain}`);
    const { status, body } = (await asked) as { status: number; body: Told };
    return { status, body };
  };
  const resolve = (domain: string) => ask('resolve', domain);
  /** Domains of these names, each with what is at it. */
  const place = <N extends string>(
    all: readonly N[],
    files: (at: Record<N, string>) => Partial<Record<N, object | number | string>>,
  ) => {
    const domains = Object.fromEntries(all.map((name) => [name, world.domain(name)])) as Record<N, string>;
    for (const [name, file] of Object.entries(files(domains))) world.put(domains[name as N], file as object);
    return domains;
  };

  it('[R16.brands] takes a document of a brand of its own as it is, and tells which form it has', async () => {
    const logos = [{ url: 'https://x.example/l' }];
    const { brand } = place(['brand'], () => ({ brand: leaf('soap', { keller_type: 'independent', logos }) }));
    const { status, body } = await resolve(`https://www.${brand}/about`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        ...{ canonical_id: brand, canonical_domain: brand, brand_name: 'soap', names: names('soap') },
        ...{ keller_type: 'independent', relationship_trust: 'standalone', source: 'brand_json', is_stale: false },
        ...{ source_url: world.urlOf(brand), brand_manifest: leaf('soap', { logos }) },
      },
    });
    for (const absent of ['warnings', 'house_domain', 'claimed_house_domain']) expect(body).not.toHaveProperty(absent);
    const { body: file } = await ask('brand-json', brand);
    expect(file).toMatchObject({ domain: brand, variant: 'brand_canonical', data: leaf('soap') });
  });

  it('[R16.brands] follows authoritative_location: the last file counts, and the first is shown as it is', async () => {
    const { brand } = place(['brand'], ({ brand }) => ({ brand: { authoritative_location: world.at(`${brand}-1`) } }));
    world.put(`${brand}-1`, { authoritative_location: world.at(`${brand}-2`) });
    world.put(`${brand}-2`, leaf('soap'));
    const source_url = world.at(`${brand}-2`);
    expect((await resolve(brand)).body).toMatchObject({ canonical_id: brand, brand_name: 'soap', source_url });
    expect((await ask('brand-json', brand)).body).toMatchObject({
      ...{ url: world.urlOf(brand), variant: 'authoritative_location', source_url },
      data: { authoritative_location: world.at(`${brand}-1`) },
    });
  });

  it('[R16.brands] finds who redirects to its house among the brands that the house lists, by the house alone', async () => {
    const { tide, cn, house } = place(['tide', 'cn', 'house'], ({ tide, cn, house }) => ({
      tide: { house },
      cn: { house: `https://www.${house}`, region: 'CN' },
      house: portfolio(house, {
        brands: [
          leaf('other', { properties: [website(`other.${tide}`)] }),
          leaf('tide', {
            ...{ keller_type: 'sub_brand', parent_brand: 'clean' },
            brand_agent: { url: 'https://agent.example/mcp', id: 'a' },
            properties: [website(cn), website(`www.${tide}`, { primary: true, relationship: 'owned' })],
          }),
        ],
      }),
    }));
    const told = {
      ...{ canonical_id: `${house}#tide`, canonical_domain: tide, brand_name: 'tide', keller_type: 'sub_brand' },
      ...{ parent_brand: 'clean', house_domain: house, house_name: 'The House', relationship_trust: 'inline' },
      ...{ brand_agent_url: 'https://agent.example/mcp', brand_manifest: { id: 'tide' } },
    };
    expect(await resolve(tide)).toMatchObject({ status: 200, body: told });
    expect(await resolve(cn)).toMatchObject({ status: 200, body: told });
    expect((await ask('brand-json', cn)).body).toMatchObject({ variant: 'house_redirect', data: { region: 'CN' } });
    expect((await ask('brand-json', house)).body).toMatchObject({ variant: 'house_portfolio' });
  });

  it('[R16.brands] takes a house for its one master brand, and where there is none for itself', async () => {
    const master = (id: string) => leaf(id, { keller_type: 'master' });
    const { one, two } = place(['one', 'two'], ({ one, two }) => ({
      one: portfolio(one, { brands: [leaf('sub', { keller_type: 'sub_brand' }), master('main')] }),
      two: portfolio(two, { brands: [master('a'), master('b')] }),
    }));
    const { body } = await resolve(one);
    expect(body).toMatchObject({ canonical_id: `${one}#main`, brand_name: 'main', canonical_domain: one });
    const { body: itself } = await resolve(two);
    expect(itself).toMatchObject({ canonical_id: two, brand_name: 'The House', house_domain: two });
    expect(itself).not.toHaveProperty('brand_manifest');
  });

  it('[R16.brands] says where the agent is of a brand that names an agent alone', async () => {
    const agents = [
      { type: 'rights', url: 'https://r.example', id: 'r' },
      { type: 'brand', url: 'https://b.example', id: 'b' },
    ];
    const { old, now } = place(['old', 'now'], () => ({
      old: { brand_agent: { url: 'https://agent.example/mcp', id: 'a' } },
      now: { agents },
    }));
    expect((await resolve(old)).body).toMatchObject({ brand_name: old, brand_agent_url: 'https://agent.example/mcp' });
    expect((await resolve(now)).body).toMatchObject({ canonical_id: now, brand_agent_url: 'https://b.example' });
    expect((await ask('brand-json', now)).body).toMatchObject({ variant: 'brand_agent' });
  });

  const ref = (domain: string, more: object = {}) => ({ domain, brand_id: 'leaf', ...more });
  it.each([
    ['lists it', (domain: string) => [ref(`www.${domain}`)], 'mutual'],
    ['lists it for a while', (domain: string) => [ref(domain, { effective_at: '2020-01-01T00:00:00Z' })], 'mutual'],
    ['lists others alone', () => [ref('other.example')], 'leaf_only'],
    ['has it as a manager', (domain: string) => [ref('other.example', { managed_by: domain })], 'leaf_only'],
    ['lists it under another id', (domain: string) => [ref(domain, { brand_id: 'else' })], 'leaf_only'],
    ['lists it twice', (domain: string) => [ref(domain), ref(domain, { brand_id: 'x' })], 'leaf_only'],
    ['has its id twice', (domain: string) => [ref(domain), ref('other.example')], 'leaf_only'],
    ['lists it later', (domain: string) => [ref(domain, { effective_at: '2999-01-01T00:00:00Z' })], 'leaf_only'],
    ['lists it from no day on', (domain: string) => [ref(domain, { effective_at: 'soon' })], 'leaf_only'],
  ])('[R16.brands] judges a brand of a house that it names by both: the house %s', async (_, refs, trust) => {
    const { brand, house } = place(['brand', 'house'], ({ brand, house }) => ({
      brand: leaf('leaf', { house_domain: house }),
      house: portfolio(house, { brand_refs: refs(brand) }),
    }));
    const { status, body } = await resolve(brand);
    const told = { brand_name: 'leaf', relationship_trust: trust, canonical_id: brand };
    expect({ status, body }).toMatchObject({ status: 200, body: told });
    const isMutual = trust === 'mutual';
    expect(body).toMatchObject(
      isMutual ? { house_domain: house, house_name: 'The House' } : { claimed_house_domain: house },
    );
    expect(body).not.toHaveProperty(isMutual ? 'claimed_house_domain' : 'house_domain');
  });

  it('[R16.brands] follows a house where it has gone, and takes no word of a house but at its own domain', async () => {
    const all = ['brand', 'sold', 'buyer', 'thief', 'other', 'inline', 'twice'] as const;
    const { brand, sold, buyer, thief, other, inline } = place(all, (its) => ({
      brand: leaf('leaf', { house_domain: its.sold }),
      sold: { house: its.buyer, redirect_reason: 'acquisition' },
      buyer: portfolio(its.buyer, { brand_refs: [ref(its.brand)] }),
      thief: portfolio(its.buyer, {
        brands: [leaf('leaf', { properties: [website(its.thief)] })],
        brand_refs: [ref(its.other, { brand_id: 'o' })],
      }),
      other: leaf('o', { house_domain: its.thief }),
      inline: leaf('leaf', { house_domain: its.twice }),
      twice: portfolio(its.twice, { brands: [leaf('leaf')], brand_refs: [ref(its.inline)] }),
    }));
    expect((await resolve(brand)).body).toMatchObject({
      ...{ relationship_trust: 'mutual', house_domain: buyer },
      warnings: [`${sold} leads to ${buyer}, which lists this brand`],
    });
    expect(await resolve(thief)).toMatchObject({ status: 502, body: { code: 'INVALID_FILE', domain: thief } });
    expect((await resolve(other)).body).toMatchObject({ brand_name: 'o', relationship_trust: 'leaf_only' });
    expect((await resolve(inline)).body).toMatchObject({ brand_name: 'leaf', relationship_trust: 'leaf_only' });
  });

  it('[R16.brands] leaves a brand its own identity where its house is silent, away, or claims it unasked', async () => {
    const all = ['gone', 'away', 'alone', 'house', 'down'] as const;
    const { gone, away, alone, down } = place(all, (its) => ({
      gone: leaf('gone', { house_domain: 'nothing-there.example' }),
      away: leaf('away', { house_domain: its.down }),
      down: 503,
      alone: leaf('leaf'),
      house: portfolio(its.house, { brand_refs: [ref(its.alone)] }),
    }));
    expect((await resolve(gone)).body).toMatchObject({ brand_name: 'gone', relationship_trust: 'leaf_only' });
    expect((await resolve(away)).body).toMatchObject({
      ...{ brand_name: 'away', relationship_trust: 'unverifiable', claimed_house_domain: down },
      warnings: [`${down}, which is to confirm the house, cannot be read now: answered 503`],
    });
    expect((await resolve(alone)).body).toMatchObject({ brand_name: 'leaf', relationship_trust: 'standalone' });
  });

  it('[R16.brands] gives nobody the brand of a house or a brand that does not name the domain', async () => {
    const all = ['house', 'famous', 'agent', 'toHouse', 'pointer', 'toBrand', 'toAgent', 'toNone'] as const;
    const its = place(all, ({ house, famous, agent, pointer }) => ({
      house: portfolio(house, {
        brands: [
          leaf('main', { keller_type: 'master', properties: [website('x.example', { relationship: 'ad_network' })] }),
        ],
        brand_refs: [ref(pointer)],
      }),
      famous: leaf('famous'),
      agent: { brand_agent: { url: 'https://agent.example', id: 'a' } },
      ...{ toHouse: { house }, pointer: { house }, toBrand: { house: famous }, toAgent: { house: agent } },
      toNone: { house: 'none.example' },
    }));
    const { house, famous, agent, toHouse, pointer, toBrand, toAgent, toNone } = its;
    const claims = [
      [toHouse, house],
      [pointer, house],
      [toBrand, famous],
      [toAgent, agent],
      [toNone, 'none.example'],
    ] as const;
    for (const [domain, claimed_house_domain] of claims) {
      const { status, body } = await resolve(domain);
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { canonical_id: domain, brand_name: domain, relationship_trust: 'leaf_only', claimed_house_domain },
      });
      expect(body).not.toHaveProperty('brand_manifest');
    }
  });

  it('[R16.brands] names the places of a circle', async () => {
    const { a, b, self, circled, round } = place(['a', 'b', 'self', 'circled', 'round'], (its) => ({
      ...{ a: { house: its.b }, b: { house: its.a }, self: { house: its.self } },
      circled: leaf('c', { house_domain: its.a }),
      round: { authoritative_location: `${world.urlOf(its.round)}#again` },
    }));
    const circle = (words: string) => ({
      ...{ status: 502 },
      body: { code: 'REDIRECT_LOOP', error: expect.stringContaining(words) as string },
    });
    expect(await resolve(a)).toMatchObject(circle(`${a} → ${b} → ${a}`));
    expect(await resolve(self)).toMatchObject(circle(`${self} → ${self}`));
    expect(await resolve(round)).toMatchObject(circle(`${world.urlOf(round)} → ${world.urlOf(round)}`));
    expect((await resolve(circled)).body).toMatchObject({ brand_name: 'c', relationship_trust: 'leaf_only' });
  });

  it('[R16.brands] goes over three places at most, of whichever kind', async () => {
    const all = ['one', 'two', 'three', 'four', 'long', 'mixed'] as const;
    const { one, two, long, mixed } = place(all, (its) => ({
      ...{ one: { house: its.two }, two: { house: its.three }, three: { house: its.four } },
      four: { house: 'last.example' },
      long: { authoritative_location: world.at(`${its.long}-1`) },
      mixed: { authoritative_location: world.at(`${its.mixed}-1`) },
    }));
    for (const i of [1, 2, 3, 4]) world.put(`${long}-${i}`, { authoritative_location: world.at(`${long}-${i + 1}`) });
    world.put(`${mixed}-1`, { house: two });
    const tooDeep = { status: 502, body: { code: 'REDIRECT_TOO_DEEP' } };
    expect(await resolve(one)).toMatchObject(tooDeep);
    expect(await resolve(two)).toMatchObject({ status: 200, body: { claimed_house_domain: 'last.example' } });
    expect(await resolve(long)).toMatchObject(tooDeep);
    expect(await resolve(mixed)).toMatchObject(tooDeep);
  });

  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`m${i}`, 1]));
  it.each([
    ['nothing there', 404, 'NOT_FOUND', 404, 404],
    ['nothing there any more', 404, 'NOT_FOUND', 410, 410],
    ['a page for whatever is asked', 404, 'NOT_FOUND', '<!doctype html><p>Hello', 200],
    ['a server that fails', 502, 'UNREACHABLE', 503, 503],
    ['a door that is shut', 502, 'UNREACHABLE', 403, 403],
    ['no form that is known', 502, 'INVALID_FILE', { hello: 'world' }, 200],
    ['a list', 502, 'INVALID_FILE', [1], 200],
    ['what nests too deep', 502, 'INVALID_FILE', `{"id":"x","names":${'['.repeat(70)}${']'.repeat(70)}}`, 200],
    ['too many members', 502, 'INVALID_FILE', { id: 'x', names: [], ...many }, 200],
    ['half a character', 502, 'INVALID_FILE', '{"id":"x","names":[{"en":"\\ud800"}]}', 200],
    ['what is too large', 502, 'INVALID_FILE', { id: 'x', names: [], note: 'x'.repeat(262_144) }, 200],
    ['a place without a server', 502, 'UNREACHABLE', { authoritative_location: 'http://127.0.0.1:1/x' }, undefined],
    ['a place that nobody may ask', 502, 'UNREACHABLE', { authoritative_location: 'https://10.0.0.1/x' }, undefined],
  ])('[R16.brands] answers for %s with %i %s', async (_, status, code, answer, file_status) => {
    const domain = world.domain('what');
    world.put(domain, answer);
    for (const path of ['resolve', 'brand-json']) {
      const told = await ask(path, domain);
      expect(told).toMatchObject({ status, body: { code, domain, error: expect.any(String) as string } });
      expect(told.body['file_status']).toBe(file_status);
    }
  });

  it.each([
    ['a house that is no domain', { house: 'not a domain' }],
    ["agents of which none is the brand's", { agents: [{ type: 'sales', url: 'https://s.example' }] }],
    ['an agent without a URL', { brand_agent: { id: 'a' } }],
  ])('[R16.brands] shows the file, and tells no brand, for %s', async (_, file) => {
    const domain = world.domain('what');
    world.put(domain, file);
    expect(await resolve(domain)).toMatchObject({ status: 502, body: { code: 'INVALID_FILE', domain } });
    expect(await ask('brand-json', domain)).toMatchObject({ status: 200, body: { data: file } });
  });

  it('[R16.brands] says of a place that has no file that it is the domain that is wrong, never that it has none', async () => {
    const { lost, page } = place(['lost', 'page'], (its) => ({
      lost: { authoritative_location: world.at(`${its.lost}-1`) },
      page: { authoritative_location: world.at(`${its.page}-1`) },
    }));
    world.put(`${page}-1`, '<!doctype html>');
    expect(await resolve(lost)).toMatchObject({ status: 502, body: { code: 'UNREACHABLE' } });
    expect(await resolve(page)).toMatchObject({ status: 502, body: { code: 'INVALID_FILE' } });
  });

  it('[R16.brands] tells a domain that cannot be reached from one that does not answer in time', async () => {
    const [nowhere, slow] = [world.domain('nowhere'), world.domain('slow')];
    expect(await resolve(nowhere)).toMatchObject({ status: 502, body: { code: 'UNREACHABLE', domain: nowhere } });
    world.put('slow', () => undefined);
    const found = await fetchBrandFile({ out, deadline: performance.now() + 30 }, world.urlOf('slow'));
    const nowMs = at.clock.now();
    await keepLook({ store: at.store, nowMs }, { domain: slow, startedAt: nowMs, found });
    expect(await resolve(slow)).toMatchObject({ status: 504, body: { code: 'TIMEOUT', domain: slow } });
    expect(await ask('brand-json', slow)).toMatchObject({ status: 504, body: { code: 'TIMEOUT', domain: slow } });
  });

  it.each([
    ['resolve?domain=10.0.0.1', 'domain'],
    ['resolve?domain=x.example&fresh=maybe', 'fresh'],
    ['brand-json', 'domain'],
    ['history?domain=one-label', 'domain'],
    ['find?q=x', 'q'],
    ['registry?limit=1000', 'limit'],
  ])('[R16.brands] refuses %s by the field', async (path, field) => {
    expect(await at.get(`/api/brands/${path}`)).toMatchObject({ status: 400, body: { field } });
  });
});
