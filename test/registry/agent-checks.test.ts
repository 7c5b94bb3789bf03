import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { agentChecks } from '../../src/directory/agent-check/agent-check.ts';
import { keepCheck } from '../../src/directory/agent-check/keep-check.ts';
import { badges } from '../../src/directory/badge/badge.ts';
import { scheduleCheck } from '../../src/directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { silent } from '../directory/support/installation.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { describeOnStores } from '../support/stores.ts';
import { cardOf, json } from './support/agents.ts';
import { startBuyer } from './support/buyer.ts';
import { doRegistryJobs } from './support/registry-jobs.ts';
import { BASE_URL, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { agentCardExtensionUri } = protocolNames();

interface History {
  health: Record<string, unknown>;
  checks: { checked_at: string; reachable: boolean; roles: { role: string }[] }[];
  cursor: string | null;
  has_more: boolean;
}

describeOnStores('the history of checks on %s', (kind) => {
  let at: Registry;
  /** The history of checks cannot be written. */
  let isFull = false;
  beforeAll(async () => {
    at = await startRegistry(kind, {
      wrapStore: (store) => ({
        ...store,
        collection: (spec) => {
          const rows = store.collection(spec);
          if (spec.name !== agentChecks.name) return rows;
          return { ...rows, insert: (row) => (isFull ? Promise.reject(new Error('full')) : rows.insert(row)) };
        },
      }),
    });
  });
  afterAll(() => at.close());

  /** An agent that declares a role, until it is away. */
  async function openAgent() {
    const does = { isAway: false };
    const server = await serveHttp((request, response) => {
      if (does.isAway) request.socket.destroy();
      else if (request.url !== '/.well-known/agent-card.json') response.writeHead(404).end();
      else {
        const extensions = [{ uri: agentCardExtensionUri, params: { proto_version: '3.1' } }];
        json(response, cardOf('Checked', ['get_products', 'create_media_buy'], { capabilities: { extensions } }));
      }
    });
    return { url: server.origin, does };
  }

  async function register(url: string, visibility: Agent['visibility'] = 'public') {
    const { organization_id } = await at.organization({});
    const key = await at.apiKey(organization_id);
    const now = toTimestamp(at.clock.now());
    const agent_id = randomUUID();
    await at.store.collection(agents).insert({
      ...{ agent_id, organization_id, url, name: 'Checked', type: 'sales', visibility },
      ...{ created_at: now, updated_at: now, revision: 1 },
    });
    const auth = { Authorization: `Bearer ${key}` };
    return {
      ...{ key, agent_id, auth },
      check: () => at.post(`/api/me/agents/${agent_id}/badges/check`).set(auth).expect(200),
      remove: () => at.send('delete', `/api/me/agents/${agent_id}`).set(auth).expect(204),
    };
  }

  const pathOf = (url: string) => `/api/registry/agents/${encodeURIComponent(url)}/checks`;
  const read = async (url: string, query = ''): Promise<History> => {
    const answer = await at.get(`${pathOf(url)}${query}`);
    expect(answer.status).toBe(200);
    return answer.body as History;
  };
  const freshUrl = () => `https://${randomUUID()}.example`;
  /** One that found nothing of any role. */
  const keep = (url: string, startedAt = at.clock.now(), isAsked = false) =>
    keepCheck(at, url, {
      ...{ startedAt, tookMs: 1, isAsked },
      outcome: { kind: 'judged', version: '3.1', passed: new Map(), failed: new Map() },
    });

  it('[R11.history] keeps how each check went, newest first, and says what they say together', async () => {
    const { url, does } = await openAgent();
    const { check } = await register(url);
    expect(await read(url)).toMatchObject({
      health: { status: 'unknown', checked_at: null, last_reachable_at: null, checks: 0, reachable_checks: 0 },
      ...{ checks: [], cursor: null, has_more: false },
    });
    const first = toTimestamp(at.clock.now());
    await check();
    does.isAway = true;
    at.clock.advance(HOUR_MS);
    const second = toTimestamp(at.clock.now());
    await check();
    const { health, checks } = await read(url);
    expect(health).toMatchObject({
      ...{ status: 'unreachable', checked_at: second, last_reachable_at: first, checks: 2, reachable_checks: 1 },
      reason: expect.stringMatching(/\w/) as string,
    });
    expect(checks).toMatchObject([
      { checked_at: second, reachable: false, reason: health['reason'], version: null, roles: [] },
      { checked_at: first, reachable: true, reason: null, version: '3.1' },
    ]);
    expect(checks[1]?.roles).toHaveLength(6);
    expect(checks[1]?.roles).toContainEqual({
      ...{ role: 'media-buy', step: 'declared', proof: null, reason: 'publishes no brand.json' },
    });
    expect(checks[1]?.roles).toContainEqual({
      ...{ role: 'signals', step: null, proof: null, reason: 'does not declare get_signals' },
    });
    const page = await at.get(`/registry/agents/${encodeURIComponent(url)}`);
    expect(page.text).toContain('Reached by 1 of the last 2 checks.');
  });

  it('[R11.history] keeps what the daily check found, of agents and of its own, and tells when the next is', async () => {
    const { url } = await openAgent();
    await register(url);
    await scheduleCheck(at, 'badges', url);
    await scheduleCheck(at, 'badges', BASE_URL);
    const outbound = createOutbound({ allowLoopback: true, resolve: () => Promise.reject(new Error('no such name')) });
    const changeSignal = {
      publish: () => Promise.resolve(),
      subscribe: () => Promise.resolve(() => undefined),
      close: () => Promise.resolve(),
    };
    await doRegistryJobs({ ...at, changeSignal, outbound, log: silent, names: protocolNames(), baseUrl: BASE_URL });
    await outbound.close();
    const { health } = await read(url);
    expect(health).toMatchObject({ status: 'reachable', checks: 1 });
    expect(Date.parse(String(health['next_check_at']))).toBeGreaterThan(at.clock.now() + 12 * HOUR_MS);
    expect((await read(BASE_URL)).health).toMatchObject({ status: 'unreachable', checks: 1 });
  });

  it('[R11.history] keeps the newest 100 of 90 days, also of many checks at once, and pages through them', async () => {
    const url = freshUrl();
    await register(url);
    const start = at.clock.now();
    const times = Array.from({ length: 105 }, (_, i) => start + i);
    for (const startedAt of times.slice(0, 95)) await keep(url, startedAt);
    await Promise.all(times.slice(95).map((startedAt) => keep(url, startedAt)));
    expect(await at.store.collection(agentChecks).count({ agent_url: url })).toBe(100);
    const seen: string[] = [];
    let page = await read(url, '?limit=40');
    for (; ; page = await read(url, `?limit=40&cursor=${encodeURIComponent(page.cursor ?? '')}`)) {
      seen.push(...page.checks.map((check) => check.checked_at));
      if (!page.has_more) break;
    }
    expect(seen).toEqual(times.slice(5).reverse().map(toTimestamp));
    at.clock.advance(91 * DAY_MS);
    expect(await read(url)).toMatchObject({ health: { status: 'unknown', checks: 0 }, checks: [] });
  });

  it('[R11.history] keeps the checks that an owner asks for apart, so that they drive out no daily one', async () => {
    const url = freshUrl();
    await register(url);
    const start = at.clock.now();
    for (let i = 0; i < 3; i++) await keep(url, start + i);
    for (let i = 0; i < 12; i++) await keep(url, start + 10 + i, true);
    const { checks, health } = await read(url, '?limit=100');
    const expected = [...Array.from({ length: 10 }, (_, i) => start + 21 - i), start + 2, start + 1, start];
    expect(checks.map(({ checked_at }) => checked_at)).toEqual(expected.map(toTimestamp));
    expect(health).toMatchObject({ checks: 13, reachable_checks: 13 });
    const open = await openAgent();
    const { check } = await register(open.url);
    await keep(open.url);
    for (let i = 0; i < 2; i++) await check();
    expect(await at.store.collection(agentChecks).count({ agent_url: open.url, is_asked: true })).toBe(2);
  });

  it('[R11.history] changes no badge by a check that is not in the history, wherever its process dies', async () => {
    const { url } = await openAgent();
    const { agent_id, auth, check } = await register(url);
    isFull = true;
    try {
      expect((await at.post(`/api/me/agents/${agent_id}/badges/check`).set(auth)).status).toBe(500);
    } finally {
      isFull = false;
    }
    expect(await at.store.collection(badges).count({ agent_url: url })).toBe(0);
    await check();
    expect(await at.store.collection(badges).count({ agent_url: url })).toBe(1);
    expect((await read(url)).checks).toHaveLength(1);
  });

  it('[R11.history] [R5] tells of an agent to those who may see it, and to all others that there is none', async () => {
    const member = await at.organization({ membership_tier: 'company_standard', subscription_status: 'active' });
    const asking = [undefined, await at.apiKey(member.organization_id)];
    const unknown = await at.get(pathOf(freshUrl()));
    expect([unknown.status, unknown.body]).toMatchObject([404, { field: 'encodedUrl' }]);
    for (const [visibility, expected] of [
      ['public', [200, 200, 200]],
      ['members_only', [404, 200, 200]],
      ['private', [404, 404, 200]],
    ] as const) {
      const url = freshUrl();
      const { key } = await register(url, visibility);
      await keep(url);
      const answers = await Promise.all(
        [...asking, key].map((credential) =>
          credential === undefined
            ? at.get(pathOf(url))
            : at.get(pathOf(url)).set('Authorization', `Bearer ${credential}`),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(expected);
      for (const { status, body } of answers) if (status === 404) expect(body).toEqual(unknown.body);
      const page = await at.get(`/registry/agents/${encodeURIComponent(url)}`);
      expect(page.text.includes('Reached by')).toBe(visibility === 'public');
    }
  });

  it('[R11.history] forgets an agent that is deleted, and tells nothing of it to who registers its URL next', async () => {
    const { url } = await openAgent();
    const { check, remove } = await register(url);
    await check();
    await remove();
    expect(await at.store.collection(agentChecks).count({ agent_url: url })).toBe(0);
    // As when a process died before it had forgotten all.
    await keep(url);
    at.clock.advance(1);
    await register(url);
    expect(await read(url)).toMatchObject({ health: { status: 'unknown' }, checks: [] });
  });

  it("[R11.history] [R16.public] gives the public protocol's client the health of agents that were checked", async () => {
    const { organization_id } = await at.organization({});
    const buyer = await startBuyer(at, await at.apiKey(organization_id));
    const [{ url, does }, never] = [await openAgent(), freshUrl()];
    const { check } = await register(url);
    await register(never);
    const healthOf = async (options?: { health: true }) => {
      const { agents: listed } = await buyer.client.listAgents(options);
      return new Map(listed.map((agent) => [agent.url, agent.health]));
    };
    await check();
    const online = await healthOf({ health: true });
    expect(online.get(url)).toEqual({ online: true, checked_at: toTimestamp(at.clock.now()) });
    expect([online.has(never), online.get(never)]).toEqual([true, undefined]);
    expect((await healthOf()).get(url)).toBeUndefined();
    does.isAway = true;
    at.clock.advance(HOUR_MS);
    await check();
    expect((await healthOf({ health: true })).get(url)).toMatchObject({
      ...{ online: false, checked_at: toTimestamp(at.clock.now()) },
      error: expect.stringMatching(/\w/) as string,
    });
    await buyer.close();
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=made-up', 'cursor'],
    ['since=2026', 'since'],
  ])('[R11.history] refuses %s and says what is wrong', async (query, field) => {
    const url = freshUrl();
    await register(url);
    const answer = await at.get(`${pathOf(url)}?${query}`);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(field)]);
  });

  it('[R11.history] [R15.browse] refuses a long page of agents with their health', async () => {
    const answer = await at.get('/api/registry/agents?health=true&limit=51');
    expect([answer.status, answer.body]).toMatchObject([400, { field: 'limit' }]);
    expect((await at.get('/api/registry/agents?health=true&limit=50')).status).toBe(200);
  });
});
