import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import { checkId, scheduledChecks } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { doRegistryJobs } from './support/registry-jobs.ts';
import { silent } from '../directory/support/installation.ts';
import { STORES } from '../support/stores.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { json } from './support/agents.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

/** The one that differs most from what other tests run on. */
const kind = STORES.at(-1) ?? 'sqlite';

/** The publisher of a test, and where its file is. */
let origin = '';
let domain = '';
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let at: Registry;

beforeAll(async () => {
  at = await startRegistry(kind, { adAgentsUrl: () => `${origin}/adagents.json` });
});
afterAll(() => at.close());
beforeEach(async () => {
  domain = `p-${randomUUID()}.example`;
  ({ origin } = await serveHttp((request, response) => {
    answer(request, response);
  }));
});

const crawl = (name = domain) => at.post(`/api/registry/publishers/${name}/crawl`);
const file =
  (agents: unknown, more: object = {}) =>
  (_request: IncomingMessage, response: ServerResponse) => {
    json(response, { authorized_agents: agents, ...more });
  };
const agent = (n: number, more: object = {}) => ({
  url: `https://agent-${n}.example`,
  authorized_for: `for ${n}`,
  ...more,
});
const resolved = async () =>
  (
    (await at.post('/api/properties/resolve/bulk', { domains: [domain] })).body as {
      results: Record<
        string,
        { source: string; verified: boolean; authorized_agents: object[]; properties: object[] } | null
      >;
    }
  ).results[domain];

describe(`reading adagents.json on ${kind}`, () => {
  it('[R15] makes the publisher known, with its agents, properties and provenance', async () => {
    const property = {
      property_id: 'web',
      property_type: 'website',
      name: 'Web',
      identifiers: [{ type: 'domain', value: domain }],
    };
    answer = file([agent(1), agent(2)], { properties: [property] });
    const { status, body } = (await crawl(`https://WWW.${domain}/`.replaceAll('/', '%2F'))) as {
      status: number;
      body: unknown;
    };
    expect(status).toBe(200);
    expect(body).toMatchObject({
      publisher_domain: domain,
      authorized_agents: [agent(1), agent(2)],
      properties_count: 1,
    });
    expect(await resolved()).toMatchObject({
      source: 'adagents_json',
      verified: true,
      authorized_agents: [agent(1), agent(2)],
      properties: [{ property_id: 'web', tags: [] }],
    });
    const { rows } = await at.store
      .collection(authorizations)
      .find({ where: { publisher_domain: domain, agent_url: 'https://agent-1.example' } });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      entry_json: JSON.stringify(agent(1)),
      source: 'adagents_json',
      source_url: `${origin}/adagents.json`,
      seen_at: toTimestamp(at.clock.now()),
    });
  });

  it('[C.endpoints.feed] tells the publisher and its properties, each once a crawl that changes them, and to who asks for it', async () => {
    const property = (name: string) => ({ property_id: 'web', property_type: 'website', name, identifiers: [] });
    answer = file([agent(1)]);
    await crawl();
    for (const name of ['Web', 'Web', 'Site']) {
      answer = file([agent(1)], { properties: [property(name)] });
      await crawl();
    }
    const feed = async (types: string) => {
      const told = await at.get(`/api/registry/feed?limit=1000&publisher=www.${domain}${types}`);
      return (told.body as { events: { type: string; state: object }[] }).events;
    };
    const publisher_domain = domain;
    expect(await feed('')).toMatchObject([
      { type: 'publisher.added', publisher: domain, state: { publisher_domain, verified: true, properties_count: 0 } },
      { type: 'publisher.changed', state: { properties_count: 1, last_change: { number: 2 } } },
      { type: 'property.added', state: { publisher_domain, properties_count: 1 } },
      { type: 'publisher.changed', state: { properties_count: 1, last_change: { number: 3 } } },
      { type: 'property.changed', state: { properties_count: 1 } },
    ]);
    expect(await feed('&types=property.changed,publisher.added')).toHaveLength(2);
  });

  it('[R15] loses only bad entries, and tells which', async () => {
    answer = file(
      [
        agent(1),
        7,
        null,
        { url: 'javascript:x' },
        { url: 'https://u:p@x.example' },
        agent(1),
        agent(2, { authorized_for: 9 }),
      ],
      {
        properties: [
          { property_id: 'ok', property_type: 'website', name: 'n', identifiers: [] },
          { property_id: 5 },
          'x',
        ],
      },
    );
    const { body } = (await crawl()) as { body: unknown };
    expect(body).toMatchObject({
      authorized_agents: [agent(1)],
      properties_count: 1,
    });
    expect((body as { problems: string[] }).problems.map((text) => text.split(' ')[0])).toEqual([
      'authorized_agents[1]',
      'authorized_agents[2]',
      'authorized_agents[3]',
      'authorized_agents[4]',
      'authorized_agents[6]',
      'properties[1]',
      'properties[2]',
    ]);
  });

  it.each([
    ['left out of the file', []],
    ['no longer valid by its own word', [{ effective_until: '2020-01-01T00:00:00Z' }]],
    ['marked revoked', [{ revoked: true }]],
    ['revoked at a time past', [{ revoked_at: '2020-01-01T00:00:00Z' }]],
    ['valid until a time past', [{ valid_until: '2020-01-01T00:00:00Z' }]],
  ])('[R15] takes back an authorization that is %s', async (_, more) => {
    answer = file([agent(1), agent(2)]);
    await crawl();
    answer = file([agent(1), ...more.map((fields) => agent(2, fields))]);
    await crawl();
    expect(await resolved()).toMatchObject({ authorized_agents: [agent(1)] });
  });

  it('[R15] keeps what is known while the file cannot be read, for seven days and no longer', async () => {
    answer = file([agent(1)]);
    await crawl();
    for (const broken of [
      (_: unknown, response: ServerResponse) => response.writeHead(500).end(),
      (_: unknown, response: ServerResponse) => response.writeHead(404).end(),
      (_: unknown, response: ServerResponse) => response.end('<html>'),
      (_: unknown, response: ServerResponse) => {
        json(response, { agents: [] });
      },
      (_: unknown, response: ServerResponse) => response.end(`[${' '.repeat(600_000)}]`),
      (request: IncomingMessage) => request.socket.destroy(),
    ]) {
      answer = broken;
      expect((await crawl()).status).toBe(502);
      expect(await resolved()).toMatchObject({ verified: true, authorized_agents: [agent(1)] });
    }
    at.clock.advance(7 * 24 * 3_600_000 - 1000);
    await crawl();
    expect(await resolved()).toMatchObject({ authorized_agents: [agent(1)] });
    at.clock.advance(2000);
    await crawl();
    expect(await resolved()).toMatchObject({ verified: false, authorized_agents: [] });
  });

  it('[R15] prefers what the operator hosts, and never writes over it', async () => {
    const now = toTimestamp(at.clock.now());
    const url = 'https://agent-1.example';
    await at.store.collection(authorizations).insert({
      ...{ authorization_id: authorizationId(domain, url, 'hosted'), publisher_domain: domain, agent_url: url },
      ...{ authorized_for: 'by hand', source: 'hosted', source_url: null, seen_at: now, revision: 1 },
    });
    answer = file([agent(1)]);
    await crawl();
    expect(await resolved()).toMatchObject({ authorized_agents: [{ url, authorized_for: 'by hand' }] });
    answer = file([]);
    await crawl();
    expect(await resolved()).toMatchObject({ authorized_agents: [{ url, authorized_for: 'by hand' }] });
  });

  it('[R15] goes one hop to an authoritative location, not two, and follows three redirects, not four', async () => {
    answer = (request, response) => {
      if (request.url === '/there') json(response, { authorized_agents: [agent(3)] });
      else json(response, { authoritative_location: `${origin}/there` });
    };
    expect((await crawl()).body).toMatchObject({ source_url: `${origin}/there`, authorized_agents: [agent(3)] });
    answer = (_request, response) => {
      json(response, { authoritative_location: `${origin}/again` });
    };
    expect((await crawl()).body).toMatchObject({ error: expect.stringContaining('elsewhere again') as string });
    const redirecting = (times: number) => (request: IncomingMessage, response: ServerResponse) => {
      const n = Number(/\d+$/.exec(request.url ?? '')?.[0] ?? 0);
      if (n < times) response.writeHead(302, { location: `/${n + 1}` }).end();
      else json(response, { authorized_agents: [agent(4)] });
    };
    answer = redirecting(3);
    expect((await crawl()).status).toBe(200);
    answer = redirecting(4);
    expect((await crawl()).status).toBe(502);
  });

  it('refuses what is no publisher', async () => {
    expect((await crawl('not_a_domain')).status).toBe(400);
    expect((await crawl('adserver.example')).status).toBe(400);
  });
});

describe(`crawling by schedule on ${kind}`, () => {
  it('[R15] takes what is due, each once however many workers, and again a day later', async () => {
    let crawls = 0;
    answer = (request, response) => {
      if (request.url !== '/adagents.json') {
        response.writeHead(404).end();
        return;
      }
      crawls++;
      json(response, { authorized_agents: [agent(crawls)] });
    };
    await crawl();
    const outbound = createOutbound({ allowLoopback: true });
    const changeSignal = {
      publish: () => Promise.resolve(),
      subscribe: () => Promise.resolve(() => undefined),
      close: () => Promise.resolve(),
    };
    const stores = [at.store, await at.another()];
    const round = async () => {
      const works = stores.flatMap((store) =>
        [1, 2].map(() => ({
          ...at,
          store,
          outbound,
          changeSignal,
          log: silent,
          names: protocolNames(),
          baseUrl: 'https://registry.test.example',
          adAgentsUrl: () => `${origin}/adagents.json`,
        })),
      );
      await Promise.all(works.map((deps) => doRegistryJobs(deps)));
    };
    const mine = at.store.collection(scheduledChecks);
    // Other publishers of this file are due by now; only this one counts here.
    for (const { check_id } of (await mine.find({ where: { kind: 'adagents' } })).rows)
      if (check_id !== checkId('adagents', domain)) await mine.delete(check_id);
    await round();
    expect(crawls).toBe(1);
    at.clock.advance(25 * 3_600_000);
    await round();
    expect(crawls).toBe(2);
    expect(await resolved()).toMatchObject({ authorized_agents: [agent(2)] });
    await outbound.close();
  });
});
