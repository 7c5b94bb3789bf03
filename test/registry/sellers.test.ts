import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { findCheck, scheduledChecks } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { adsTxtFiles, adsTxtId } from '../../src/directory/seller/ads-txt-file.ts';
import { sellerPages } from '../../src/directory/seller/seller-page.ts';
import { sellersJsonFiles, sellersJsonId } from '../../src/directory/seller/sellers-json-file.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { readAdsTxtDue, readSellersJsonDue } from '../../src/registry/periodic-jobs.ts';
import type { PublisherSellers } from '../../src/registry/sellers/schema.ts';
import { lookAtAdsTxt } from '../../src/registry/sellers/look-at-ads-txt.ts';
import { silent } from '../directory/support/installation.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { publishedFiles, zipped } from './support/published-files.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const KINDS = ['adagents', 'ads_txt', 'sellers_json'];
const AGENT = 'https://sales.example';
const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

describeOnStores('sellers by ads.txt and sellers.json on %s', (kind) => {
  const files = publishedFiles();
  const outbound = createOutbound({ allowLoopback: true });
  let at: Registry;
  /** A publisher, and two ad systems. */
  let [pub, ssp, net] = ['', '', ''];

  beforeAll(async () => {
    at = await startRegistry(kind, { adAgentsUrl: files.adAgentsUrl, sizes: { crawl_publisher: 1000 } });
  });
  afterAll(async () => {
    await outbound.close();
    await at.close();
  });
  beforeEach(() => begin());

  /** Others, and nothing is due of those before. */
  async function begin() {
    const { rows } = await at.store.collection(scheduledChecks).find({ where: { kind: { in: KINDS } }, limit: 1000 });
    for (const { check_id } of rows) await at.store.collection(scheduledChecks).delete(check_id);
    [pub, ssp, net] = ['p', 's', 'n'].map((name) => `${name}-${randomUUID()}.example`) as [string, string, string];
    await files.open(pub, ssp, net);
    files.publish(pub, '/.well-known/adagents.json', { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] });
  }

  const deps = (store: Store = at.store) => ({
    ...{ ...at, store, outbound, changeSignal, log: silent, adAgentsUrl: files.adAgentsUrl, probeMs: 60_000 },
    untilSlow: () => new Promise<never>(() => undefined),
  });
  /** As workers do, until nothing is due. */
  const work = async (store?: Store) => {
    await readAdsTxtDue(deps(store));
    await readSellersJsonDue(deps(store));
  };
  const crawl = (domain = pub) => at.post(`/api/registry/publishers/${domain}/crawl`);
  const adsTxt = (...lines: string[]) => {
    files.publish(pub, '/ads.txt', lines.join('\n'));
  };
  const sellersJson = (system: string, ...sellers: object[]) => {
    files.publish(system, '/sellers.json', { version: '1.0', sellers });
  };
  async function sellers(query: Record<string, string> = {}, domain = pub): Promise<PublisherSellers> {
    const answer = await at.get(`/api/registry/publishers/${domain}/sellers?${new URLSearchParams(query).toString()}`);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body as PublisherSellers;
  }
  const codes = async () =>
    (await sellers()).sellers.map(({ seller_id, confirmation: { code } }) => `${seller_id} ${code}`);
  const own = (seller_id: string) => ({ seller_id, seller_type: 'PUBLISHER', name: 'News', domain: pub });
  const due = async (kindOf: 'ads_txt' | 'sellers_json', subject: string) =>
    (await findCheck(at, kindOf, subject))?.due_at ?? '';
  const pagesOf = async (file_id: string) =>
    (await at.store.collection(sellerPages).find({ where: { file_id }, limit: 1000 })).rows;

  it('[R15.sellers] says of each account of an ads.txt whether its ad system confirms it, by which file, seen when, read next when', async () => {
    expect((await at.get(`/api/registry/publishers/${pub}/sellers`)).status).toBe(404);
    adsTxt(`${ssp}, own, DIRECT, f08c`, `${ssp}, else, DIRECT`, `${ssp}, gone, DIRECT`, `${ssp}, hidden, RESELLER`);
    await crawl();
    expect(await sellers()).toMatchObject({ ads_txt: { status: 'not_read', source_url: null }, sellers: [] });
    const began = toTimestamp(at.clock.now());
    await readAdsTxtDue(deps());
    expect((await sellers()).sellers[0]?.confirmation).toMatchObject({ status: 'not_read', code: 'file_not_read' });
    sellersJson(...([ssp, own('own'), { ...own('else'), domain: 'else.example' }] as const), {
      seller_id: 'hidden',
      seller_type: 'INTERMEDIARY',
      is_confidential: 1,
    });
    await readSellersJsonDue(deps());
    const answer = await at.get(`/api/registry/publishers/${pub}/sellers`);
    const tag = answer.get('ETag') ?? '';
    const listed = { source: 'ads_txt', source_url: `${files.origin(pub)}/ads.txt`, seen_at: began, ad_system: ssp };
    const json = {
      ...{ source: 'sellers_json', source_url: `${files.origin(ssp)}/sellers.json`, seen_at: began, last_error: null },
      next_read_at: await due('sellers_json', ssp),
    };
    expect(answer.body).toMatchObject({
      ...{ publisher_domain: pub, authorizes_agents: false, cursor: null, has_more: false },
      ads_txt: {
        ...{ source: 'ads_txt', status: 'read', source_url: listed.source_url, seen_at: began, last_error: null },
        ...{ next_read_at: await due('ads_txt', pub), sellers_count: 4, systems_count: 1, systems_followed: 1 },
      },
      sellers: [
        { ...listed, seller_id: 'else', certification_id: null, confirmation: { ...json, status: 'contradicted' } },
        { ...listed, seller_id: 'gone', confirmation: { ...json, status: 'not_listed', code: 'seller_not_listed' } },
        {
          ...{ ...listed, seller_id: 'hidden', relationship: 'RESELLER' },
          confirmation: { ...json, status: 'confidential', is_confidential: true, domain: null },
        },
        {
          ...{ ...listed, seller_id: 'own', relationship: 'DIRECT', certification_id: 'f08c' },
          confirmation: {
            ...{ ...json, status: 'confirmed', code: 'own_account', seller_type: 'PUBLISHER' },
            ...{ domain: pub, name: 'News', is_passthrough: false, is_cut: false },
          },
        },
      ],
    });
    expect(Date.parse(json.next_read_at)).toBeGreaterThan(at.clock.now() + 0.7 * DAY_MS);
    const same = await at.get(`/api/registry/publishers/${pub}/sellers`).set('If-None-Match', tag);
    expect([same.status, same.text]).toEqual([304, '']);
  });

  it('[R15.sellers] never makes an agent authorized, or a publisher known, by an account', async () => {
    const bare = `b-${randomUUID()}.example`;
    await files.open(bare);
    await crawl();
    const questions = [pub, bare].flatMap((publisher) =>
      [AGENT, `https://${ssp}`, `https://${net}`].map((agent) => ({ agent, publisher })),
    );
    const answers = async () => {
      const { body } = (await at.post('/api/registry/authorization', { questions })) as { body: object };
      const known = await at.post('/api/properties/resolve/bulk', { domains: [pub, bare] });
      const looked = await at.get(`/api/registry/lookup/domain/${pub}`);
      const events = await at.store.collection(feedEvents).count({ publisher_domain: pub });
      return JSON.stringify([body, known.body, looked.body, events, await at.store.collection(publishers).get(bare)]);
    };
    const before = await answers();
    expect(before).toContain('"authorized":true');
    for (const domain of [pub, bare])
      files.publish(domain, '/ads.txt', `${ssp}, own, DIRECT\n${net}, r, RESELLER\nOWNERDOMAIN=${ssp}`);
    sellersJson(ssp, own('own'));
    sellersJson(net, { seller_id: 'r', seller_type: 'INTERMEDIARY', domain: net });
    expect((await crawl(bare)).body).toMatchObject({ error: expect.stringContaining('its ads.txt is read') as string });
    at.clock.advance(2 * HOUR_MS);
    await crawl();
    await work();
    for (const domain of [pub, bare])
      expect((await sellers({}, domain)).sellers.map(({ confirmation }) => confirmation.status)).toContain('confirmed');
    at.clock.advance(-2 * HOUR_MS);
    expect(withoutTimes(await answers())).toBe(withoutTimes(before));
  });

  it('[R15.sellers] counts a publisher that is made known by its ads.txt as any other, and remembers none without accounts', async () => {
    files.publish(pub, '/.well-known/adagents.json', 404);
    files.publish(pub, '/ads.txt', 'CONTACT=ads@news.example');
    await crawl();
    expect(await findCheck(at, 'ads_txt', pub)).toBeUndefined();
    adsTxt(`${ssp},1,DIRECT`);
    await crawl();
    expect(await findCheck(at, 'ads_txt', pub)).toMatchObject({ last_tried_at: null });
    expect(await findCheck(at, 'adagents', pub)).toBeUndefined();
  });

  it('[R15.sellers] pages through thousands of accounts in order, of one ad system too, while the file changes in between', async () => {
    const line = (n: number, system: string) => `${system},${String(n).padStart(5, '0')},RESELLER`;
    const lines = Array.from({ length: 1_201 }, (_, n) => [line(n, ssp), line(n, net)]).flat();
    adsTxt(...lines.reverse());
    await crawl();
    await readAdsTxtDue(deps());
    const all = async (query: Record<string, string>, between: () => Promise<void> = () => Promise.resolve()) => {
      const keys: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: PublisherSellers = await sellers({ ...query, limit: '200', ...(cursor !== '' && { cursor }) });
        keys.push(...page.sellers.map((one) => `${one.ad_system},${one.seller_id},${one.relationship}`));
        expect(page.has_more).toBe(page.cursor !== null);
        if (cursor === '') await between();
        cursor = page.cursor;
      }
      return keys;
    };
    const ofSystem = (system: string) => lines.filter((one) => one.startsWith(system)).sort();
    expect(await all({})).toEqual([...ofSystem(net), ...ofSystem(ssp)]);
    expect(await all({ ad_system: ssp })).toEqual(ofSystem(ssp));
    const { cursor } = await sellers({ limit: '1' });
    for (const query of [{ cursor: 'x' }, { cursor: cursor ?? '', ad_system: ssp }, { cursor: 'YSBi' }]) {
      const refused = await at.get(`/api/registry/publishers/${pub}/sellers?${new URLSearchParams(query).toString()}`);
      expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining('cursor') as string } });
    }
    const left = ofSystem(ssp);
    const kept = await all({ ad_system: ssp }, async () => {
      at.clock.advance(DAY_MS);
      adsTxt(...left.slice(0, 1_000));
      await readAdsTxtDue(deps());
    });
    expect(kept).toEqual(left.slice(0, 1_000));
    expect(new Set((await pagesOf(adsTxtId(pub))).map(({ list_id }) => list_id)).size).toBe(1);
  });

  it('[R15.sellers] fetches a sellers.json once a day for all publishers and processes, and writes nothing anew that is the same', async () => {
    const other = `q-${randomUUID()}.example`;
    await files.open(other);
    adsTxt(`${ssp},own,DIRECT`);
    files.publish(other, '/.well-known/adagents.json', { authorized_agents: [] });
    files.publish(other, '/ads.txt', `${ssp},other,DIRECT`);
    sellersJson(ssp, own('own'), { ...own('other'), domain: other });
    await crawl();
    await crawl(other);
    const second = await at.another();
    await Promise.all([work(), work(second)]);
    await Promise.all([work(), work(second)]);
    expect([files.asked(ssp, '/sellers.json'), files.asked(pub, '/ads.txt'), files.asked(other, '/ads.txt')]).toEqual([
      1, 1, 1,
    ]);
    expect((await sellers({}, other)).sellers[0]?.confirmation.status).toBe('confirmed');
    const before = await pagesOf(sellersJsonId(ssp));
    at.clock.advance(DAY_MS);
    await work();
    expect(files.asked(ssp, '/sellers.json')).toBe(2);
    expect(await pagesOf(sellersJsonId(ssp))).toEqual(before);
    expect((await sellers()).sellers[0]?.confirmation.seen_at).toBe(toTimestamp(at.clock.now()));
    // A crawl by hand has the ads.txt read too, but not over and over.
    at.clock.advance(2 * HOUR_MS);
    await crawl();
    await crawl();
    await work();
    await crawl();
    await work();
    expect([files.asked(pub, '/ads.txt'), files.asked(ssp, '/sellers.json')]).toEqual([3, 2]);
  });

  it('[R15.sellers] keeps what it knew for seven days of failures, and for one where the file is gone, and recovers', async () => {
    adsTxt(`${ssp},own,DIRECT`);
    sellersJson(ssp, own('own'));
    await crawl();
    await work();
    const pass = async (ms: number) => {
      at.clock.advance(ms);
      await work();
    };
    const seen = toTimestamp(at.clock.now());
    files.publish(ssp, '/sellers.json', 503);
    await pass(DAY_MS);
    const first = await due('sellers_json', ssp);
    expect((await sellers()).sellers[0]?.confirmation).toMatchObject({
      ...{ status: 'confirmed', last_error: 'answered 503', seen_at: seen, next_read_at: first },
    });
    await pass(HOUR_MS);
    const [waited, next] = [
      Date.parse(first) - at.clock.now(),
      Date.parse(await due('sellers_json', ssp)) - at.clock.now(),
    ];
    expect(next).toBeGreaterThan(waited + HOUR_MS);
    await pass(6 * DAY_MS);
    expect((await sellers()).sellers[0]?.confirmation).toMatchObject({ code: 'file_unreachable', seen_at: null });
    expect(await pagesOf(sellersJsonId(ssp))).toEqual([]);
    sellersJson(ssp, own('own'));
    await pass(DAY_MS);
    expect(await codes()).toEqual(['own own_account']);

    files.publish(pub, '/ads.txt', '<!doctype html><title>News</title>');
    await pass(DAY_MS);
    expect((await sellers()).ads_txt).toMatchObject({
      status: 'read',
      last_error: 'no line of it is one of an ads.txt',
    });
    files.publish(pub, '/ads.txt', 404);
    await pass(DAY_MS);
    expect(await codes()).toEqual(['own own_account']);
    await pass(DAY_MS);
    expect(await sellers()).toMatchObject({ ads_txt: { status: 'absent', last_error: 'answered 404' }, sellers: [] });
    expect(await pagesOf(adsTxtId(pub))).toEqual([]);
    adsTxt('');
    await pass(DAY_MS);
    expect(await sellers()).toMatchObject({ ads_txt: { status: 'read', sellers_count: 0 }, sellers: [] });
  });

  it('[R15.sellers] reads the beginning of files that grow beyond what is read, and says so', async () => {
    const padding = `# ${'x'.repeat(1_900)}\n`.repeat(2_200);
    files.publish(pub, '/ads.txt', zipped(`${ssp},a,DIRECT\n${ssp},z,DIRECT\n${padding}${ssp},b,DIRECT\n`));
    const large = `"${'x'.repeat(1_000_000)}"`;
    const text = (more: string[]) =>
      `{"sellers":[${[JSON.stringify(own('a')), ...more, JSON.stringify(own('z'))].join()}]}`;
    files.publish(ssp, '/sellers.json', zipped(text([large])));
    await crawl();
    await work();
    expect((await sellers()).ads_txt).toMatchObject({ sellers_count: 2, is_cut: true, bad_lines: 0 });
    expect(await codes()).toEqual(['a own_account', 'z own_account']);
    files.publish(ssp, '/sellers.json', zipped(text(Array.from({ length: 33 }, () => large))));
    at.clock.advance(DAY_MS);
    await work();
    expect(await codes()).toEqual(['a own_account', 'z file_cut']);
    expect((await sellers()).sellers[1]?.confirmation).toMatchObject({ status: 'not_read', is_cut: true });
  });

  it('[R15.sellers] reads the sellers.json of the first 200 ad systems, and no others', async () => {
    const name = (n: number) => `s${String(n).padStart(3, '0')}.${ssp}`;
    adsTxt(...Array.from({ length: 201 }, (_, n) => `${name(n)},1,DIRECT`));
    await crawl();
    await readAdsTxtDue(deps());
    const { ads_txt } = await sellers();
    expect(ads_txt).toMatchObject({ systems_count: 201, systems_followed: 200 });
    const codeOf = async (n: number) => (await sellers({ ad_system: name(n) })).sellers[0]?.confirmation.code;
    expect([await codeOf(199), await codeOf(200)]).toEqual(['file_not_read', 'system_not_followed']);
    for (let n = 0; n < 200; n++) await at.store.collection(sellersJsonFiles).delete(sellersJsonId(name(n)));
  });

  it('[R15.sellers] follows redirects to another site once, and to no third', async () => {
    const to = (location: string) => (_request: unknown, response: ServerResponse) => {
      response.writeHead(301, { location }).end();
    };
    files.publish(pub, '/ads.txt', to('/moved'));
    files.publish(pub, '/moved', to(`${files.origin(net)}/kept`));
    files.publish(net, '/kept', to('/there'));
    files.publish(net, '/there', `${ssp},1,DIRECT`);
    await crawl();
    await readAdsTxtDue(deps());
    expect((await sellers()).ads_txt).toMatchObject({ status: 'read', source_url: `${files.origin(net)}/there` });
    files.publish(net, '/there', to(`${files.origin(ssp)}/`));
    at.clock.advance(DAY_MS);
    await readAdsTxtDue(deps());
    expect((await sellers()).ads_txt).toMatchObject({ status: 'read', last_error: 'redirect leaves the site twice' });
  });

  it('[R15.sellers] never lets an older look overwrite a newer one', async () => {
    adsTxt(`${ssp},first,DIRECT`);
    await crawl();
    await work();
    at.clock.advance(DAY_MS);
    const second = await at.another();
    let slow = Promise.resolve<string | null>(null);
    const late = await new Promise<ServerResponse>((resolve) => {
      files.publish(pub, '/ads.txt', (_request, response) => {
        resolve(response);
      });
      slow = lookAtAdsTxt(deps(second), pub);
    });
    at.clock.advance(1);
    adsTxt(`${ssp},new,DIRECT`);
    await lookAtAdsTxt(deps(), pub);
    late.end(`${ssp},old,DIRECT`);
    await slow;
    expect((await sellers()).sellers.map(({ seller_id }) => seller_id)).toEqual(['new']);
    expect(await pagesOf(adsTxtId(pub))).toHaveLength(1);
  });

  it('[R15.sellers] shows a whole list, old or new, after a process died at any write, and the new one after the next look', async () => {
    const fresh = (n: number) => Array.from({ length: 70 }, (_, i) => own(`${n}-${i}`));
    for (let n = 1, isAlive = false; !isAlive; n++) {
      await begin();
      adsTxt(`${ssp},0-1,DIRECT`, `${ssp},0-2,DIRECT`);
      sellersJson(ssp, ...fresh(0));
      await crawl();
      await work();
      const [old, now] = [
        ['0-1 own_account', '0-2 own_account'],
        ['1-1 own_account', '1-2 own_account'],
      ];
      expect(await codes()).toEqual(old);
      at.clock.advance(DAY_MS);
      adsTxt(`${ssp},1-1,DIRECT`, `${ssp},1-2,DIRECT`, `# ${net}`);
      sellersJson(ssp, ...fresh(1));
      let writes = 0;
      // From its n-th write on nothing of this process reaches the store.
      const dying = withStoreHooks(at.store, {
        before: () => (++writes >= n ? Promise.reject(new Error('killed')) : undefined),
      });
      await work(dying).catch(() => undefined);
      isAlive = writes < n;
      const listed = (await sellers()).sellers.map(({ seller_id }) => seller_id);
      expect([
        ['0-1', '0-2'],
        ['1-1', '1-2'],
      ]).toContainEqual(listed);
      at.clock.advance(130_000);
      await work();
      expect(await codes()).toEqual(now);
      // What nobody names is gone with the next look but one hour.
      at.clock.advance(DAY_MS);
      await work();
      for (const file_id of [adsTxtId(pub), sellersJsonId(ssp)])
        expect(new Set((await pagesOf(file_id)).map(({ list_id }) => list_id)).size).toBe(1);
    }
  });

  it('[R15.sellers] looks no more at ad systems that nobody names, and again once somebody does', async () => {
    adsTxt(`${ssp},own,DIRECT`);
    sellersJson(ssp, own('own'));
    await crawl();
    await work();
    adsTxt(`${net},own,DIRECT`);
    at.clock.advance(DAY_MS);
    await work();
    at.clock.advance(14 * DAY_MS);
    await work();
    const known = () => at.store.collection(sellersJsonFiles).get(sellersJsonId(ssp));
    expect([await known(), await findCheck(at, 'sellers_json', ssp), await pagesOf(sellersJsonId(ssp))]).toEqual([
      ...[undefined, undefined, []],
    ]);
    expect(await at.store.collection(adsTxtFiles).get(adsTxtId(pub))).toMatchObject({ publisher_domain: pub });
    adsTxt(`${ssp},own,DIRECT`);
    at.clock.advance(DAY_MS);
    await work();
    expect(await codes()).toEqual(['own own_account']);
  });
});

/** What changes with time alone. */
function withoutTimes(text: string): string {
  return text.replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"then"');
}
