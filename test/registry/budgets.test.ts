import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { joinRequests } from '../../src/directory/join-request/join-request.ts';
import { propertyReports } from '../../src/directory/property-report/property-report.ts';
import { propertyIdentifiers } from '../../src/directory/publisher/property-identifier.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { until } from '../support/until.ts';
import { json } from './support/agents.ts';
import { freshAddress, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

let at: Registry;
let origin = '';
let authorized: { url: string; authorized_for: string }[] = [];
let properties: object[] = [];
/** What was logged as an error. */
const logged: unknown[] = [];

beforeAll(async () => {
  at = await startRegistry('sqlite', {
    adAgentsUrl: () => `${origin}/adagents.json`,
    onError: (line) => logged.push(line),
    sizes: {
      ...{ property_reports: 0.004, feed_streams: 2, agents: 2, api_keys: 2, members: 1, join_requests: 2 },
      ...{ new_publishers: 3, new_publishers_of_domain: 2, crawl_events: 10, crawl_events_of_domain: 20 },
      ...{ crawled_rows: 30, crawled_rows_of_domain: 50 },
    },
  });
});
afterAll(() => at.close());

const bearer = (credential: string) => ({ Authorization: `Bearer ${credential}` });
const from = (address: string) => ({ 'X-Forwarded-For': address });

async function owned() {
  const domain = `b-${randomUUID()}.example`;
  const token = await at.token({ sub: randomUUID(), email: `o@${domain}` });
  const made = await at.post('/api/organizations', { organization_name: 'Budgets' }).set(bearer(token));
  return { token, domain, id: (made.body as { organization: { id: string } }).organization.id };
}

describe('[S2.reports] reports of property checks', () => {
  const domains = () => Array.from({ length: 20 }, () => `${randomBytes(16).toString('hex')}.example`);
  const check = (address: string) => at.post('/api/properties/check', { domains: domains() }).set(from(address));

  it('are kept compressed and read as they were answered, and an address that has used its bytes up gets none', async () => {
    const address = freshAddress();
    const answers = [];
    for (let i = 0; i < 20; i++) answers.push(await check(address));
    const taken = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(taken.length).toBeGreaterThan(0);
    expect(taken.length + refused.length).toBe(20);
    expect(refused[0]?.body).toMatchObject({
      retry_after: 86_400,
      budget: { name: 'property_reports', size: 0.004, unit: 'MB of reports a day' },
    });
    expect(refused.filter(({ body }) => 'report_id' in (body as object))).toEqual([]);
    for (const { body } of taken) {
      const { report_id } = body as { report_id: string };
      expect((await at.get(`/api/properties/check/${report_id}`)).body).toEqual(body);
      const row = await at.store.collection(propertyReports).get(report_id);
      expect(row?.report_gzip?.length).toBeLessThan(JSON.stringify(body).length);
    }
    expect((await check(freshAddress())).status).toBe(200);
  });

  it('of 0.1.0, which are plain, are still read', async () => {
    const report = {
      summary: { total: 0, remove: 0, modify: 0, assess: 0, ok: 0 },
      remove: [],
      modify: [],
      assess: [],
      ok: [],
    };
    const report_id = randomUUID();
    await at.store.collection(propertyReports).insert({
      report_id,
      report_json: JSON.stringify({ ...report, report_id }),
      created_at: toTimestamp(at.clock.now()),
      expires_at: toTimestamp(at.clock.now() + 60_000),
      revision: 1,
    });
    expect((await at.get(`/api/properties/check/${report_id}`)).body).toEqual({ ...report, report_id });
  });
});

describe('[S2.streams] streams of the feed', () => {
  const FEED = '/api/registry/feed/stream';

  async function serving(listener: RequestListener): Promise<number> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    onTestFinished(async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  function opener(port: number) {
    return async (address: string) => {
      const leaving = new AbortController();
      const url = `http://127.0.0.1:${port}${FEED}`;
      const response = await fetch(url, { headers: from(address), signal: leaving.signal });
      return {
        response,
        leave: () => {
          leaving.abort();
        },
      };
    };
  }

  it('are so many of one address, one /64 being one, which may open another once one is closed', async () => {
    const open = opener(await serving(at.app));
    const first = await open('2001:db8:5:1::1');
    await open('2001:db8:5:1::2');
    const refused = await open('2001:db8:5:1::3');
    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get('retry-after')).toBeNull();
    expect(await refused.response.json()).toMatchObject({
      error: expect.stringContaining('close a stream first') as string,
      budget: { name: 'feed_streams', size: 2, free_at: null },
    });
    expect((await open('2001:db8:5:2::1')).response.status).toBe(200);
    first.leave();
    await until(async () => (await open('2001:db8:5:1::1')).response.status === 200);
  });

  it('hold no place for a client that went before it was answered', async () => {
    let answered = 0;
    const port = await serving((request, response) => {
      // Asked now, for a closed connection has forgotten it.
      expect(request.socket.remoteAddress).toBeDefined();
      const flush = response.flushHeaders.bind(response);
      response.flushHeaders = () => {
        answered++;
        flush();
      };
      request.socket.once('close', () => {
        at.app(request, response);
      });
      request.socket.resetAndDestroy();
    });
    const address = freshAddress();
    const open = opener(port);
    for (let i = 0; i < 2; i++) await expect(open(address)).rejects.toThrow();
    await until(() => answered === 2);
    const another = opener(await serving(at.app));
    await until(async () => (await another(address)).response.status === 200);
  });

  it('hold no place for a client that asked for several on one connection and went', async () => {
    let answered = 0;
    const port = await serving((request, response) => {
      const flush = response.flushHeaders.bind(response);
      response.flushHeaders = () => {
        answered++;
        flush();
      };
      at.app(request, response);
    });
    const address = freshAddress();
    const socket = connect(port, '127.0.0.1');
    const asked = `GET ${FEED} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\n\r\n`;
    socket.write(asked + asked);
    await until(() => answered === 2);
    const open = opener(port);
    expect((await open(address)).response.status).toBe(429);
    socket.destroy();
    for (let i = 0; i < 2; i++) await until(async () => (await open(address)).response.status === 200);
  });
});

describe('[S2.crawls] a crawl that anybody asks for', () => {
  const crawl = (domain: string, address: string) =>
    at.post(`/api/registry/publishers/${domain}/crawl`).set(from(address));
  const entries = (count: number, what: string) =>
    Array.from({ length: count }, (_, i) => ({ url: `https://agent-${i}.example`, authorized_for: what }));

  beforeEach(async () => {
    ({ origin } = await serveHttp((_request, response) => {
      json(response, { authorized_agents: authorized, properties });
    }));
  });

  it('makes so many publishers known below one domain, and from one address', async () => {
    authorized = entries(1, 'all');
    const domain = `${randomUUID()}.example`;
    const stored = async (name: string) => at.store.collection(publishers).get(name);
    for (const name of ['a', 'b']) expect((await crawl(`${name}.${domain}`, freshAddress())).status).toBe(200);
    const refused = await crawl(`c.${domain}`, freshAddress());
    expect([refused.status, refused.body]).toMatchObject([
      429,
      { budget: { name: 'new_publishers_of_domain', size: 2 } },
    ]);
    expect(await stored(`c.${domain}`)).toBeUndefined();
    expect((await crawl(`a.${domain}`, freshAddress())).status).toBe(200);
    const address = freshAddress();
    const names = Array.from({ length: 4 }, () => `${randomUUID()}.example`);
    const answers = [];
    for (const name of names) answers.push((await crawl(name, address)).status);
    expect(answers).toEqual([200, 200, 200, 429]);
    expect(await stored(names[3] ?? '')).toBeUndefined();
  });

  it('changes so much of what the feed tells, and else nothing at all', async () => {
    const [domain, address] = [`${randomUUID()}.example`, freshAddress()];
    authorized = entries(8, 'all');
    expect((await crawl(domain, address)).status).toBe(200);
    expect((await crawl(domain, address)).status).toBe(200);
    authorized = entries(8, 'video');
    const refused = await crawl(domain, address);
    expect([refused.status, refused.body]).toMatchObject([429, { budget: { name: 'crawl_events', size: 10 } }]);
    const { rows } = await at.store.collection(authorizations).find({ where: { publisher_domain: domain } });
    expect(new Set(rows.map((row) => row.authorized_for))).toEqual(new Set(['all']));
    expect((await crawl(domain, freshAddress())).status).toBe(200);
    authorized = entries(8, 'print');
    const elsewhere = await crawl(domain, freshAddress());
    expect([elsewhere.status, elsewhere.body]).toMatchObject([
      429,
      { budget: { name: 'crawl_events_of_domain', size: 20 } },
    ]);
  });
});

describe('[S2.crawls] what is stored of a file that anybody has crawled', () => {
  const crawl = (domain: string, address: string) =>
    at.post(`/api/registry/publishers/${domain}/crawl`).set(from(address));
  const apps = (count: number, name: string) => [
    {
      ...{ property_id: 'app', property_type: 'mobile_app', name: 'App' },
      identifiers: Array.from({ length: count }, (_, i) => ({ type: 'ios_bundle', value: `${name}.${i}` })),
    },
  ];
  beforeEach(async () => {
    authorized = [{ url: 'https://agent.example', authorized_for: 'all' }];
    ({ origin } = await serveHttp((_request, response) => {
      json(response, { authorized_agents: authorized, properties });
    }));
  });
  afterAll(() => {
    properties = [];
  });

  it('counts its entries and identifiers for an address and a domain, what is stored already not, and else stores nothing', async () => {
    const [domain, address] = [`${randomUUID()}.example`, freshAddress()];
    const stored = () => at.store.collection(propertyIdentifiers).count({ publisher_domain: domain });
    properties = apps(20, 'com.one');
    for (let n = 0; n < 3; n++) expect((await crawl(domain, address)).status).toBe(200);
    properties = apps(15, 'com.two');
    const refused = await crawl(domain, address);
    expect([refused.status, refused.body]).toMatchObject([429, { budget: { name: 'crawled_rows', size: 30 } }]);
    expect(await stored()).toBe(20);
    expect((await crawl(domain, freshAddress())).status).toBe(200);
    properties = apps(16, 'com.three');
    const elsewhere = await crawl(domain, freshAddress());
    expect([elsewhere.status, elsewhere.body]).toMatchObject([
      429,
      { budget: { name: 'crawled_rows_of_domain', size: 50 } },
    ]);
    expect(await stored()).toBe(15);
  });
});

describe('[S2.rows] rows that stay', () => {
  it('are so many agents an organization; a known one may still change', async () => {
    const { token, domain, id } = await owned();
    const register = (n: number) =>
      at.post('/api/me/agents', { url: `https://a${n}.${domain}`, type: 'sales' }).set(bearer(token));
    const statuses = [];
    for (const n of [1, 2, 3, 1]) statuses.push((await register(n)).status);
    expect(statuses).toEqual([201, 201, 429, 200]);
    expect((await register(3)).body).toMatchObject({ budget: { name: 'agents', size: 2, free_at: null } });
    expect(await at.store.collection(agents).count({ organization_id: id })).toBe(2);
  });

  it('are so many API keys that are not revoked', async () => {
    const { token, id } = await owned();
    const make = () => at.post(`/api/organizations/${id}/api-keys`, { name: 'K' }).set(bearer(token));
    const first = await make();
    expect([first.status, (await make()).status, (await make()).status]).toEqual([201, 201, 429]);
    const { id: keyId } = first.body as { id: string };
    await at.send('delete', `/api/organizations/${id}/api-keys/${keyId}`).set(bearer(token));
    expect((await make()).status).toBe(201);
  });

  it('are so many members, and join requests of one person; one who is turned away by it still waits', async () => {
    const { token, id } = await owned();
    const ask = async (organization: string, who = randomUUID()) =>
      at
        .post(`/api/organizations/${organization}/join-requests`)
        .set(bearer(await at.token({ sub: who, email: `p@${who}.example` })));
    const approve = (request: string) =>
      at.post(`/api/organizations/${id}/join-requests/${request}/approve`, { role: 'member' }).set(bearer(token));
    const [one, two] = [(await ask(id)).body as { id: string }, (await ask(id)).body as { id: string }];
    expect((await approve(one.id)).status).toBe(200);
    const refused = await approve(two.id);
    expect([refused.status, refused.body]).toMatchObject([429, { budget: { name: 'members', size: 1 } }]);
    expect((await at.store.collection(joinRequests).get(two.id))?.status).toBe('pending');
    expect((await approve(one.id)).status).toBe(200);
    const eager = randomUUID();
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await ask((await owned()).id, eager)).status);
    expect(statuses).toEqual([201, 201, 429]);
  });
});

it('[S2.credentials] after sixty wrong credentials of one /64 a new one from there is refused without a look, and one that was good is not', async () => {
  const { token } = await owned();
  const ask = (credential: string, host: number) =>
    at.get('/api/me/agents').set({ ...bearer(credential), ...from(`2001:db8:7:1::${host.toString(16)}`) });
  const wrong = (n: number) => `mk_live_${String(n).padStart(43, 'x')}`;
  const tries = await Promise.all(Array.from({ length: 60 }, (_, n) => ask(wrong(n), n)));
  expect(tries.filter(({ status }) => status === 401)).toHaveLength(60);
  expect(tries.some(({ headers }) => headers['ratelimit-remaining'] === '0')).toBe(true);
  const unseen = await at.token({ sub: randomUUID(), email: `new@b-${randomUUID()}.example` });
  const refused = await ask(unseen, 1);
  expect([refused.status, refused.headers['ratelimit-remaining']]).toEqual([429, '0']);
  expect(refused.body).toMatchObject({ budget: { name: 'failed_credentials' } });
  expect((await ask(token, 1)).status).toBe(200);
  expect((await at.get('/api/me/agents').set({ ...bearer(unseen), ...from(freshAddress()) })).status).toBe(200);
});

it('refuses billing events where billing is not set up, without a stack for every stranger', async () => {
  expect((await at.post('/api/billing/events', {})).status).toBe(503);
  expect(logged).toEqual([]);
});
