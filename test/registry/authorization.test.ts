import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { AuthorizationAnswers } from '../../src/registry/check-authorization/schema.ts';
import { forgetCrawl } from '../../src/registry/crawl/apply-crawl.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const AGENT = 'https://sales.example';
const DAY_MS = 24 * 3_600_000;

describeOnStores('GET /api/registry/authorization on %s', (kind) => {
  let at: Registry;
  let origin = '';
  let domain = '';
  let file: object = {};

  beforeAll(async () => {
    at = await startRegistry(kind, { adAgentsUrl: () => `${origin}/adagents.json`, sizes: { crawl_publisher: 1000 } });
  });
  afterAll(() => at.close());
  beforeEach(async () => {
    ({ origin } = await serveHttp((_request, response) => {
      json(response, file);
    }));
    domain = `p-${randomUUID()}.example`;
  });

  const entry = (more: object = {}, url = AGENT) => ({ url, authorized_for: 'display', ...more });
  const property = (property_id: string, value: string) => ({
    ...{ property_id, property_type: 'mobile_app', name: property_id, identifiers: [{ type: 'ios_bundle', value }] },
  });
  async function crawl(published: object) {
    file = published;
    const answer = await at.post(`/api/registry/publishers/${domain}/crawl`);
    expect(answer.status).toBe(200);
    return answer.body as { authorized_agents: object[]; problems: string[] };
  }
  async function ask(question: Record<string, string>) {
    const query = new URLSearchParams({ agent: AGENT, publisher: domain, ...question });
    return (await at.get(`/api/registry/authorization?${query.toString()}`)).body as Record<string, unknown>;
  }
  async function live() {
    const { body } = (await at.post('/api/properties/resolve/bulk', { domains: [domain] })) as { body: unknown };
    const { results } = body as { results: Record<string, { authorized_agents: Record<string, unknown>[] }> };
    return results[domain]?.authorized_agents;
  }
  const inDays = (days: number) => toTimestamp(at.clock.now() + days * DAY_MS);
  const events = async (name = domain) =>
    (await at.store.collection(feedEvents).find({ where: { sequence: { gt: 0 }, publisher_domain: name } })).rows;

  it('[R15.scope] answers yes with the entry as published, the file, since when and until when', async () => {
    const published = entry({
      ...{ authorization_type: 'property_ids', property_ids: ['app'], countries: ['US'], delegation_type: 'direct' },
      ...{ effective_from: inDays(-1), effective_until: inDays(1), x_own: { kept: true } },
    });
    await crawl({ authorized_agents: [published], properties: [property('app', 'com.app')] });
    const yes = await ask({ agent: 'HTTPS://Sales.example:443/', property: 'com.app', country: 'us' });
    expect(yes).toMatchObject({
      ...{ agent: AGENT, publisher: domain, property: 'com.app', country: 'US', at: toTimestamp(at.clock.now()) },
      ...{ authorized: true, code: 'authorized', limited_by: [], other_entries: [] },
      entry: {
        ...{ entry_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string, file_of: domain, source: 'adagents_json' },
        ...{ source_url: `${origin}/adagents.json`, seen_at: toTimestamp(at.clock.now()), valid: true },
        ...{ valid_from: inDays(-1), valid_until: inDays(1), delegation_type: 'direct', exclusive: false, published },
      },
    });
    expect(await ask({ property: 'app', country: 'DE' })).toMatchObject({
      ...{ authorized: false, code: 'country_not_covered', reason: 'the entry is for other countries' },
      entry: { published },
    });
    expect(await ask({ property: 'app', country: 'US', at: inDays(2) })).toMatchObject({ code: 'expired' });
    expect(await ask({ property: 'tv' })).toMatchObject({ authorized: false, code: 'property_unknown' });
    expect(await ask({ agent: 'https://else.example' })).toMatchObject({ code: 'agent_not_listed', entry: null });
    expect(await ask({ publisher: 'nobody.example' })).toMatchObject({ code: 'publisher_unknown', entry: null });
  });

  it('[R15.scope] finds the publisher by the property: the nearest known domain above it', async () => {
    await crawl({ authorized_agents: [entry()] });
    const { body } = (await at.get(`/api/registry/authorization?agent=${AGENT}&property=blog.${domain}`)) as {
      body: unknown;
    };
    expect(body).toMatchObject({ publisher: domain, property: `blog.${domain}`, authorized: true, code: 'authorized' });
    const none = await at.get(`/api/registry/authorization?agent=${AGENT}&property=x.nobody.example`);
    expect(none.body).toMatchObject({ publisher: 'x.nobody.example', authorized: false, code: 'publisher_unknown' });
  });

  it('[R15.scope] takes what has no publisher for a domain, and says that an app needs one', async () => {
    await crawl({ authorized_agents: [entry()], properties: [property('app', 'com.paper.app')] });
    expect(await ask({ property: 'com.paper.app' })).toMatchObject({ authorized: true });
    for (const asked of ['com.paper.app', '1234567890']) {
      const { body } = (await at.get(`/api/registry/authorization?agent=${AGENT}&property=${asked}`)) as {
        body: unknown;
      };
      const reason = expect.stringContaining('name its publisher, too') as string;
      expect(body).toMatchObject({ authorized: false, code: 'publisher_unknown', reason, entry: null });
    }
  });

  it('[R15.scope] counts nobody before the time or after it, in any look-up, without another crawl', async () => {
    const { authorized_agents, problems } = await crawl({
      authorized_agents: [
        entry({ effective_until: inDays(-1) }, 'https://over.example'),
        entry({ effective_from: inDays(1) }, 'https://tomorrow.example'),
        entry({ effective_until: inDays(2) }),
        entry({ signal_ids: ['s'] }, 'https://signals.example'),
      ],
    });
    expect(authorized_agents).toMatchObject([{ url: AGENT }]);
    expect(problems).toHaveLength(3);
    const shown = async () => (await live())?.map(({ url }) => url);
    expect(await shown()).toEqual([AGENT]);
    expect((await live())?.[0]).toMatchObject({
      ...{ authorized_for: 'display', valid: true, in_part: false, valid_from: null, valid_until: inDays(2) },
      ...{ source: 'adagents_json', source_url: `${origin}/adagents.json` },
    });
    at.clock.advance(1.5 * DAY_MS);
    expect(await shown()).toEqual([AGENT, 'https://tomorrow.example']);
    at.clock.advance(DAY_MS);
    expect(await shown()).toEqual(['https://tomorrow.example']);
  });

  it('[R15.scope] says of what is to be revoked that it is over by then, and lets what lasts longer decide', async () => {
    const soon = entry({ authorized_for: 'soon', revoked_at: inDays(2) });
    const later = inDays(3);
    const dated = entry({ authorized_for: 'dated', effective_until: later });
    const gone = entry({ revoked: true, effective_until: inDays(5) }, 'https://gone.example');
    await crawl({ authorized_agents: [soon, gone] });
    const over = { valid: true, valid_until: inDays(2) };
    expect((await live())?.[0]).toMatchObject({ authorized_for: 'soon', ...over });
    expect(await ask({})).toMatchObject({ authorized: true, entry: over });
    expect(await ask({ at: inDays(2) })).toMatchObject({ code: 'revoked', entry: { ...over, valid: false } });
    const status = (await at.get(`/api/registry/publishers/${domain}`)).body as { agents: object[] };
    expect(status.agents).toMatchObject([
      { agent_url: AGENT, authorized: true, valid_until: inDays(2) },
      // Without a date it never counted: what stands there is its own.
      { agent_url: 'https://gone.example', code: 'revoked', valid_until: inDays(5) },
    ]);
    at.clock.advance(60_000);
    await crawl({ authorized_agents: [soon, dated, gone] });
    expect((await live())?.[0]).toMatchObject({ authorized_for: 'dated', valid_until: later });
  });

  it('[R15.scope] keeps several entries of one agent apart, each the same wherever it stands', async () => {
    const [app, tv] = [entry({ property_ids: ['app'] }), entry({ property_ids: ['tv'] })];
    const properties = [property('app', 'com.app'), property('tv', 'com.tv')];
    await crawl({ authorized_agents: [app, tv, app], properties });
    const held = async () =>
      (await at.store.collection(authorizations).find({ where: { publisher_domain: domain } })).rows
        .map((row) => row.entry_id)
        .sort();
    const before = await held();
    expect(before).toHaveLength(2);
    for (const asked of ['app', 'tv']) expect(await ask({ property: asked })).toMatchObject({ code: 'authorized' });
    expect(await ask({})).toMatchObject({ code: 'authorized_in_part', other_entries: [expect.any(String)] });
    await crawl({ authorized_agents: [tv, app], properties });
    expect(await held()).toEqual(before);
    await crawl({ authorized_agents: [tv], properties });
    expect(await ask({ property: 'app' })).toMatchObject({ authorized: false, code: 'property_not_covered' });
  });

  it("[R15.scope] takes a manager's word only where a publisher without a file names it", async () => {
    const manager = `m-${randomUUID()}.example`;
    const publisher = domain;
    const selector = { publisher_domains: [publisher, 'else.example'], selection_type: 'all' };
    domain = manager;
    await crawl({
      authorized_agents: [entry({ authorization_type: 'publisher_properties', publisher_properties: [selector] })],
    });
    const asked = { publisher, property: publisher };
    expect(await ask(asked)).toMatchObject({ authorized: false, code: 'publisher_unknown' });
    const now = toTimestamp(at.clock.now());
    await at.store.collection(publishers).insert({
      ...{ publisher_domain: publisher, source: 'adagents_json', verified: false, properties: [] },
      ...{ manager_domain: manager, created_at: now, updated_at: now, revision: 1 },
    });
    expect(await ask(asked)).toMatchObject({ code: 'authorized', entry: { file_of: manager } });
    const page = await at.get(`/registry/agents/${encodeURIComponent(AGENT)}`);
    expect(page.text).toContain(`>${publisher}</a></td>`);
    expect(page.text).not.toContain('else.example');
    await at.store.collection(publishers).update(publisher, (row) => ({ ...row, verified: true }));
    expect(await ask(asked)).toMatchObject({ authorized: false, code: 'agent_not_listed' });
  });

  it('[R15.scope] reads what 0.1.0 stored, until the next crawl replaces it', async () => {
    const now = toTimestamp(at.clock.now());
    const old = authorizationId(domain, AGENT, 'adagents_json');
    await at.store.collection(publishers).insert({
      ...{ publisher_domain: domain, source: 'adagents_json', verified: true, properties: [] },
      ...{ created_at: now, updated_at: now, revision: 1 },
    });
    await at.store.collection(authorizations).insert({
      ...{ authorization_id: old, publisher_domain: domain, agent_url: AGENT, authorized_for: 'display' },
      ...{ source: 'adagents_json', source_url: `${origin}/adagents.json`, seen_at: now, revision: 1 },
    });
    expect(await ask({})).toMatchObject({ code: 'authorized', entry: { entry_id: null, published: null } });
    await crawl({ authorized_agents: [entry({ countries: ['US'] })] });
    expect(await at.store.collection(authorizations).get(old)).toBeUndefined();
    expect(await ask({ country: 'DE' })).toMatchObject({ code: 'country_not_covered' });
  });

  it('[R15.scope] holds for seven days that a file took a publisher back', async () => {
    const revoked_publisher_domains = [{ publisher_domain: domain, revoked_at: inDays(-1) }];
    await crawl({ authorized_agents: [entry()], revoked_publisher_domains });
    await crawl({ authorized_agents: [entry()] });
    expect(await ask({})).toMatchObject({ authorized: false, code: 'publisher_revoked' });
    at.clock.advance(7 * DAY_MS);
    await crawl({ authorized_agents: [entry()] });
    expect(await ask({})).toMatchObject({ authorized: true });
  });

  it('[R15.scope] tells what one crawl changed as one event of the publisher', async () => {
    const agents = Array.from({ length: 30 }, (_, i) =>
      entry({}, `https://agent-${String(i).padStart(2, '0')}.example`),
    );
    await crawl({ authorized_agents: agents });
    const changed = { ...agents[0], countries: ['US'] };
    await crawl({ authorized_agents: [changed, ...agents.slice(2), entry()], properties: [property('app', 'a')] });
    await crawl({ authorized_agents: [changed, ...agents.slice(2), entry()], properties: [property('app', 'a')] });
    const told = (await events()).filter((event) => event.kind === 'publisher');
    expect(told.map(({ change }) => change)).toEqual(['added', 'changed']);
    const none = { count: 0, names: [] };
    expect(JSON.parse(told[1]?.state_json ?? '')).toMatchObject({
      publisher_domain: domain,
      last_change: {
        number: 2,
        agents: {
          added: { count: 1, names: [AGENT] },
          removed: { count: 1, names: ['https://agent-01.example'] },
          changed: { count: 1, names: ['https://agent-00.example'] },
        },
        properties: { added: { count: 1, names: ['app'] }, removed: none, changed: none },
      },
    });
    expect((await events()).filter((event) => event.kind === 'authorization')).toEqual([]);
    const changeSignal = { publish: () => Promise.resolve(), subscribe: () => Promise.resolve(() => undefined) };
    await forgetCrawl({ ...at, changeSignal: { ...changeSignal, close: () => Promise.resolve() } }, domain);
    const last = (await events()).filter((event) => event.kind === 'publisher').at(-1);
    expect(JSON.parse(last?.state_json ?? '')).toMatchObject({
      verified: false,
      last_change: { number: 3, agents: { removed: { count: 30 } } },
    });
  });

  describe('in bulk', () => {
    it('[R15.scope] answers 1,000 questions in their order, and refuses more', async () => {
      await crawl({ authorized_agents: [entry()] });
      const questions = Array.from({ length: 1000 }, (_, i) => ({
        agent: i % 2 === 0 ? AGENT : `https://agent-${i}.example`,
        property: i % 3 === 0 ? `p-${i}.nobody.example` : domain,
      }));
      const { status, body } = (await at.post('/api/registry/authorization', { questions })) as {
        status: number;
        body: unknown;
      };
      expect(status).toBe(200);
      const { answers } = body as { answers: { agent: string; property: string; code: string }[] };
      expect(answers.map(({ agent, property: asked }) => ({ agent, property: asked }))).toEqual(questions);
      const expected = questions.map(({ agent, property: asked }) =>
        asked !== domain ? 'publisher_unknown' : agent === AGENT ? 'authorized' : 'agent_not_listed',
      );
      expect(answers.map(({ code }) => code)).toEqual(expected);
      // They are sent as they are made: every member that is declared, and no other, in the order of the declaration.
      expect(JSON.stringify(AuthorizationAnswers.parse(body))).toBe(JSON.stringify(body));
      const over = await at.post('/api/registry/authorization', { questions: [...questions, questions[0]] });
      expect(over.status).toBe(400);
    });

    it.each([
      [{ agent: 'nonsense', property: 'a.example' }, 'questions[0].agent'],
      [{ agent: AGENT }, 'questions[0].property'],
      [{ agent: AGENT, publisher: 'nonsense' }, 'questions[0].publisher'],
      [{ agent: AGENT, property: 'a.example', country: 'USA' }, 'questions[0].country'],
      [{ agent: AGENT, property: 'a.example', country: 'UK' }, 'questions[0].country'],
      [{ agent: AGENT, property: 'a.example', at: 'now' }, 'questions[0].at'],
      [{ agent: AGENT, property: 'a.example', at: '9999-12-31T23:59:59-14:00' }, 'questions[0].at'],
      [{ agent: AGENT, property: 'a.example', at: '0000-01-01T00:00:00+14:00' }, 'questions[0].at'],
      [{ agent: AGENT, property: 'a.example', at: '2026-01-01T00:00:00+99:99' }, 'questions[0].at'],
      [{ agent: AGENT, property: 'a.example', when: 'now' }, 'questions[0]'],
    ])('refuses %j by the name of the field', async (question, field) => {
      const { status, body } = (await at.post('/api/registry/authorization', { questions: [question] })) as {
        status: number;
        body: unknown;
      };
      expect([status, body]).toMatchObject([400, { error: expect.stringContaining(field) as string }]);
    });
  });
});
