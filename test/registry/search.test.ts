import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RegistryClient } from '#adcp-buyer/registry';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import type { RegistryProperty } from '../../src/directory/publisher/publisher.ts';
import { keepEntry } from '../../src/directory/search/keep-entry.ts';
import { keepSearchable } from '../../src/directory/search/keep-searchable.ts';
import { searchEntries, searchHints } from '../../src/directory/search/search-entry.ts';
import { applyCrawl } from '../../src/registry/crawl/apply-crawl.ts';
import { readAdAgents } from '../../src/registry/crawl/adagents-file.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { allRows } from '../../src/platform/store/all-rows.ts';
import { organizationId } from '../support/ids.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { WIDE } from './support/buyer.ts';
import { serveApp } from './support/serve-app.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const ALPHA = 'https://alpha.sellers.example';
const BETA = 'https://beta.example';
const MEMBERS = 'https://alpha-members.example';
const HIDDEN = 'https://alpha-hidden.example';

/** Nobody follows the feed here. */
const nobody = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

describeOnStores('searching on %s', (kind) => {
  let at: Registry;
  let served: Awaited<ReturnType<typeof serveApp>>;
  let stranger: InstanceType<typeof RegistryClient>;
  let strangerKey = '';
  let memberKey = '';
  const now = () => toTimestamp(at.clock.now());

  const agent = (url: string, more: Partial<Agent>): Agent => ({
    ...{
      agent_id: `agent_${randomUUID()}`,
      url,
      organization_id: organizationId('org_operator'),
      name: 'Alpha Örtlich',
    },
    ...{ type: 'sales', visibility: 'public', created_at: now(), updated_at: now(), revision: 1, ...more },
  });
  const declared = (more: Partial<NonNullable<Agent['declared']>>) => ({
    ...{ description: 'Premium streaming', channels: [], countries: [], is_verified: false, ...more },
  });
  const property = (name: string, more: Partial<RegistryProperty> = {}): RegistryProperty => ({
    ...{ property_type: 'website', name, identifiers: [], tags: [], ...more },
  });
  const publish = (publisher_domain: string, properties: RegistryProperty[]) =>
    at.store.collection(publishers).insert({
      ...{ publisher_domain, source: 'adagents_json', verified: true, properties, revision: 1 },
      ...{ created_at: now(), updated_at: now() },
    });
  const settle = () => keepSearchable(at);

  beforeAll(async () => {
    at = await startRegistry(kind, { sizes: WIDE });
    served = await serveApp(at.app);
    const plain = await at.organization({ name: 'Plain' });
    const paying = await at.organization({ membership_tier: 'company_standard', subscription_status: 'active' });
    strangerKey = await at.apiKey(plain.organization_id);
    memberKey = await at.apiKey(paying.organization_id);
    stranger = new RegistryClient({ baseUrl: served.origin, apiKey: strangerKey });
    await at.store
      .collection(agents)
      .insertMany([
        agent(ALPHA, { declared: declared({ channels: ['ctv', 'olv'], countries: ['DE'], is_verified: true }) }),
        agent(BETA, { name: 'Beta Alphabet', type: 'creative', declared: declared({ channels: ['olv'] }) }),
        agent(MEMBERS, { visibility: 'members_only', declared: declared({ channels: ['ctv'] }) }),
        agent(HIDDEN, { visibility: 'private', declared: declared({ channels: ['ctv'] }) }),
      ]);
    await publish('gazette.example', [
      property('Morning Gazette', { supported_channels: ['display'], tags: ['Local News'] }),
      property('Gazetteer TV', {
        ...{ property_type: 'ctv_app', supported_channels: ['ctv'] },
        identifiers: [{ type: 'domain', value: 'tv.gazette-app.example' }],
      }),
    ]);
    await publish('herald.example', [property('Evening Herald')]);
    const entry_json = JSON.stringify({ url: ALPHA, authorized_for: 'all', countries: ['de', 'AT'] });
    await at.store.collection(authorizations).insert({
      authorization_id: authorizationId('gazette.example', ALPHA, 'adagents_json', 'e'),
      ...{ publisher_domain: 'gazette.example', agent_url: ALPHA, authorized_for: 'all', source: 'adagents_json' },
      ...{ entry_id: 'e', entry_json, source_url: null, seen_at: now(), revision: 1 },
    });
    // These rows are as an earlier release has left them: nobody has looked at them.
    await settle();
  });
  afterAll(async () => {
    await served.close();
    await at.close();
  });

  interface AgentPage {
    results: { url: string }[];
    cursor: string | null;
  }
  /** URLs of all pages, by the given way to ask for one. */
  const allUrls = async (ask: (cursor: object) => Promise<AgentPage>) => {
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page: AgentPage = await ask(cursor == null ? {} : { cursor });
      seen.push(...page.results.map(({ url }) => url));
      cursor = page.cursor;
    } while (cursor !== null);
    return seen.sort();
  };
  const byClient = (query: object) => allUrls((more) => stranger.searchAgents({ ...query, ...more }));
  const found = (query: Record<string, string | number>, key = strangerKey) =>
    allUrls(async (more) => {
      const answer = await at
        .get('/api/registry/agents/search')
        .query({ ...query, ...more })
        .set('Authorization', `Bearer ${key}`);
      return answer.body as AgentPage;
    });
  interface PublisherPage {
    publishers: { domain: string }[];
    cursor: string | null;
    matched_filters: string[];
  }
  const publisherPage = async (query: string) =>
    (await at.get(`/api/registry/publishers/search?${query}`)).body as PublisherPage;
  const domains = async (query: string) => {
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const page: PublisherPage = await publisherPage(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...page.publishers.map(({ domain }) => domain));
      cursor = page.cursor;
    } while (cursor !== null);
    return seen.sort();
  };

  it('[R15.search] finds agents for the public client by channel, market, role, domain, words and whether one is verified', async () => {
    expect(await byClient({ channels: 'ctv' })).toEqual([ALPHA]);
    expect(await byClient({ channels: 'ctv,olv' })).toEqual([ALPHA, BETA]);
    expect(await byClient({ channels: 'olv', type: 'creative' })).toEqual([BETA]);
    expect(await byClient({ markets: 'de,at' })).toEqual([ALPHA]);
    expect(await found({ domain: 'sellers.example' })).toEqual([ALPHA]);
    expect(await found({ verified: 'true' })).toEqual([ALPHA]);
    expect(await found({ verified: 'false' })).toEqual([BETA]);
    expect(await found({ q: 'ÖRTL' })).toEqual([ALPHA]);
    expect(await found({ q: 'streaming alpha' })).toEqual([ALPHA, BETA]);
    expect(await found({ q: 'alpha prem', channels: 'olv', type: 'sales' })).toEqual([ALPHA]);
    expect(await found({ q: 'alpha nothing' })).toEqual([]);
    const { results } = await stranger.searchAgents({ channels: 'ctv', markets: 'DE' });
    const id = authorizationId('gazette.example', ALPHA, 'adagents_json', 'e');
    const seen_at = (await at.store.collection(authorizations).get(id))?.seen_at;
    expect(seen_at).toBeDefined();
    expect(results).toMatchObject([
      {
        inventory_profile: { channels: ['ctv', 'olv'], markets: ['DE'], publisher_count: 1, seen_at },
        match: { matched_filters: ['channels', 'markets'] },
      },
    ]);
  });

  it("[R15.search] finds members' agents for members alone, private ones for nobody, and keeps no word of these", async () => {
    expect(await found({ q: 'alpha', limit: 1 }, memberKey)).toEqual([MEMBERS, ALPHA, BETA].sort());
    expect(await found({ q: 'alpha', limit: 1 })).toEqual([ALPHA, BETA]);
    expect(await found({ q: 'hidden' })).toEqual([]);
    const hidden = (await at.store.collection(agents).find({ where: { url: HIDDEN } })).rows[0];
    expect(await at.store.collection(searchEntries).get(hidden?.agent_id ?? '')).toMatchObject({
      list: null,
      terms: [],
    });
    // A cursor of a member's is no place in what a stranger may see.
    const foreign = Buffer.from(JSON.stringify(['agent.members_only', null, null])).toString('base64url');
    const refused = await at.get(`/api/registry/agents/search?q=alpha&cursor=${foreign}`);
    expect([refused.status, (refused.body as { error: string }).error]).toEqual([
      400,
      expect.stringContaining('cursor'),
    ]);
  });

  it('[R15.search] hides an agent at once, and finds it no more by what it said before', async () => {
    const url = 'https://gamma.example';
    const row = agent(url, { name: 'Gamma Former' });
    await at.store.collection(agents).insert(row);
    await settle();
    expect(await found({ q: 'former' })).toEqual([url]);
    const change = (more: Partial<Agent>) =>
      at.store.collection(agents).update(row.agent_id, (is) => ({ ...is, ...more }));
    await change({ visibility: 'private' });
    expect(await found({ q: 'former' })).toEqual([]);
    await change({ visibility: 'public', name: 'Gamma Latter' });
    await settle();
    expect(await found({ q: 'former' })).toEqual([]);
    expect(await found({ q: 'latter' })).toEqual([url]);
    const left: string[] = [];
    const hints = allRows(at.store.collection(searchHints), { where: { list: 'agent.public', term: 'word:former' } });
    for await (const { subject } of hints) left.push(subject);
    expect(left).toEqual([]);
  });

  it('[R15.search] finds words however their accents are written, also in rows that were indexed with them', async () => {
    const url = 'https://accents.example';
    const row = agent(url, { name: 'Café Łódź Straße Ёлка 한국' });
    await at.store.collection(agents).insert(row);
    await settle();
    for (const q of ['cafe', 'CAFÉ', 'cafe\u0301', 'lodz', 'Łódź', 'strasse', 'елка', '한국', '한'])
      expect([q, await found({ q })]).toEqual([q, [url]]);
    // As an earlier release has left it.
    await at.store.collection(agents).update(row.agent_id, (now) => ({ ...now, indexed_as: '1' }));
    await at.store.collection(searchEntries).update(row.agent_id, (now) => ({ ...now, terms: ['word:café'] }));
    expect(await found({ q: 'cafe' })).toEqual([]);
    await settle();
    expect(await found({ q: 'cafe' })).toEqual([url]);
    expect(await settle()).toBe(0);
  });

  it('[R15.search] keeps a hint that one puts in again while another, who then dies, takes it away', async () => {
    const subject = `agent_${randomUUID()}`;
    const says = (...terms: string[]) => Promise.resolve({ list: 'agent.public', terms } as const);
    await keepEntry(at.store, subject, () => says('word:kept', 'word:again'));
    let hasDied = false;
    const dying = withStoreHooks(at.store, {
      async before({ collection, kind: method }) {
        if (collection !== searchHints.name || method !== 'delete' || hasDied) return;
        hasDied = true;
        expect(await keepEntry(at.store, subject, () => says('word:kept', 'word:again'))).toBe(true);
      },
      after({ collection, kind: method }) {
        if (collection === searchHints.name && method === 'delete') throw new Error('the process is dead');
      },
    });
    await expect(keepEntry(dying, subject, () => says('word:kept'))).rejects.toThrow('dead');
    const { rows } = await at.store
      .collection(searchHints)
      .find({ where: { list: 'agent.public', term: { gte: 'word:again', lt: 'word:again~' } }, limit: 100 });
    expect([hasDied, rows.filter((hint) => hint.subject === subject).length]).toEqual([true, 1]);
  });

  it('[R15.search] finds publishers by words, domain, channel, country, type, tag and whether their file counts', async () => {
    for (const query of [
      ...[
        'q=morning+gazet',
        'q=GAZETTE.example',
        'domain=https://www.gazette.example/x',
        'domain=tv.gazette-app.example',
      ],
      ...[
        'channels=ctv',
        'channels=ctv,display',
        'countries=AT',
        'markets=at,FR',
        'property_types=ctv_app',
        'tags=local%20news',
      ],
      'q=tv&channels=ctv&countries=DE&verified=true&property_types=website',
    ])
      expect([query, await domains(query)]).toEqual([query, ['gazette.example']]);
    expect(await domains('verified=true&limit=1')).toEqual(['gazette.example', 'herald.example']);
    expect(await domains('q=e&limit=1')).toEqual(['gazette.example', 'herald.example']);
    expect(await domains('verified=false')).toEqual([]);
    expect((await publisherPage('q=tv&channels=ctv')).matched_filters).toEqual(['q', 'channels']);
    expect((await stranger.search('morning')).publishers).toMatchObject([{ domain: 'gazette.example' }]);
  });

  it('[R15.search] finds a publisher by what its file says since its last crawl, each once though pages change meanwhile', async () => {
    const crawl = async (domain: string, channel: string, countries: string[]) => {
      const json = {
        authorized_agents: [{ url: ALPHA, authorized_for: 'all', countries }],
        properties: [
          { property_type: 'website', name: `Chronicle ${channel}`, identifiers: [], supported_channels: [channel] },
        ],
      };
      const file = await readAdAgents(json, at.clock.now());
      if (file === undefined) throw new Error('no file');
      await applyCrawl({ ...at, changeSignal: nobody }, domain, {
        file,
        source_url: `https://${domain}/adagents.json`,
      });
      await settle();
    };
    for (const n of [1, 2, 3, 4]) await crawl(`chronicle-${n}.example`, 'podcast', ['BR']);
    expect(await domains('channels=podcast&countries=BR')).toHaveLength(4);
    await crawl('chronicle-1.example', 'radio', ['CL']);
    expect(await domains('channels=podcast')).toHaveLength(3);
    expect(await domains('channels=radio&countries=CL&q=chronicle')).toEqual(['chronicle-1.example']);
    const first = await publisherPage('channels=podcast,radio&limit=2');
    await at.store.collection(publishers).delete('chronicle-3.example');
    const rest = await publisherPage(`channels=podcast,radio&limit=9&cursor=${first.cursor ?? ''}`);
    const all = [...first.publishers, ...rest.publishers].map(({ domain }) => domain);
    expect(all.sort()).toEqual(
      ['chronicle-1.example', 'chronicle-2.example', 'chronicle-4.example']
        .concat(first.publishers.some(({ domain }) => domain === 'chronicle-3.example') ? ['chronicle-3.example'] : [])
        .sort(),
    );
  });

  it.each([
    ['/api/registry/agents/search?channels=video', 'channels', 'linear_tv'],
    ['/api/registry/agents/search?countries=UK', 'countries', 'alpha-2'],
    ['/api/registry/agents/search?type=robot', 'type', 'creative'],
    ['/api/registry/agents/search?verified=yes', 'verified', 'true'],
    ['/api/registry/agents/search?domain=nothing', 'domain', 'domain'],
    ['/api/registry/agents/search?q=%21%21', 'q', 'word'],
    ['/api/registry/agents/search?q=a&cursor=nonsense', 'cursor', 'cursor'],
    ['/api/registry/publishers/search', 'q', 'filter'],
    ['/api/registry/publishers/search?countries=DE&markets=DE', 'markets', 'not both'],
    ['/api/registry/publishers/search?channels=,', 'channels', '1 to 10'],
  ])('[R15.search] refuses %s, names %s and says what it may be', async (path, field, allowed) => {
    const answer = await at.get(path);
    expect(answer.status).toBe(400);
    expect((answer.body as { error: string }).error).toContain(field);
    expect((answer.body as { error: string }).error).toContain(allowed);
  });
});
