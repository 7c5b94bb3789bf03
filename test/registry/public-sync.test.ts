import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { FileCursorStore, RegistrySync } from '#adcp-buyer/registry';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import { forgetOldEvents } from '../../src/directory/feed/forget-old-events.ts';
import { publishState } from '../../src/directory/feed/publish.ts';
import { authorizationSubject } from '../../src/directory/feed/public-state.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { describeOnStores } from '../support/stores.ts';
import { json } from './support/agents.ts';
import { startBuyer, WIDE } from './support/buyer.ts';
import type { Buyer } from './support/buyer.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

interface Page {
  events: Record<string, unknown>[];
  cursor: string;
  has_more: boolean;
  cursor_expired?: true;
}

const nobody = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

describeOnStores('[R16.feed] the replica of the public client on %s', (kind) => {
  let at: Registry;
  let buyer: Buyer;
  let publisher: Server;
  let folder = '';
  let file: object = {};
  let domain = '';
  const seller = `https://zz-${randomUUID()}.example`;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'public-sync-'));
    publisher = createServer((_request, response) => {
      json(response, file);
    });
    await new Promise<void>((resolve) => publisher.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`;
    at = await startRegistry(kind, { adAgentsUrl: () => `${origin}/adagents.json`, sizes: WIDE });
    buyer = await startBuyer(at, await at.apiKey((await at.organization({})).organization_id));
  });
  afterAll(async () => {
    await buyer.close();
    await at.close();
    publisher.closeAllConnections();
    publisher.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => {
    domain = `p-${randomUUID()}.example`;
  });

  /** Polls when it is told to, as it does by its timer. */
  function replica(name: string = randomUUID()) {
    const path = join(folder, name);
    const cursorStore = new FileCursorStore(path);
    const sync = new RegistrySync({ client: buyer.client, pollIntervalMs: 3_600_000, cursorStore });
    return { sync, path, poll: () => (sync as unknown as { poll: () => Promise<void> }).poll() };
  }
  const entry = (url: string, ids?: string[]) => ({
    ...{ url, authorized_for: 'display' },
    ...(ids !== undefined && { authorization_type: 'property_ids', property_ids: ids }),
  });
  const app = { property_id: 'app', property_type: 'mobile_app', name: 'App', identifiers: [] };
  async function crawl(...authorized_agents: object[]) {
    file = { authorized_agents, properties: [app] };
    expect((await at.post(`/api/registry/publishers/${domain}/crawl`)).status).toBe(200);
  }
  async function registered(): Promise<{ url: string; set: (visibility: string) => Promise<unknown> }> {
    const host = `${randomUUID()}.example`;
    const auth = { Authorization: `Bearer ${await at.token({ sub: randomUUID(), email: `p@${host}` })}` };
    const made = await at.post('/api/me/agents', { url: `https://${host}`, type: 'sales' }).set(auth);
    const { agent_id } = made.body as { agent_id: string };
    const set = async (visibility: string) => {
      expect((await at.send('patch', `/api/me/agents/${agent_id}`, { visibility }).set(auth)).status).toBe(200);
    };
    await set('public');
    return { url: `https://${host}`, set };
  }
  const forgetAll = () => forgetOldEvents(at, { days: 36_500, events: 1 });

  it('starts with the agents and whom publishers authorize, and follows what changes', async () => {
    const agent = await registered();
    await crawl(entry(seller, ['app']), entry('https://other.example'));
    const { sync, poll } = replica();
    await sync.start();
    expect(sync.getAgent(agent.url)).toMatchObject({ url: agent.url, type: 'sales' });
    expect(sync.getAuthorizationsForDomain(domain)).toMatchObject([
      { agent_url: 'https://other.example', authorization_type: 'all' },
      { agent_url: seller, authorization_type: 'property_ids', property_ids: ['app'] },
    ]);
    await crawl(entry(seller, ['app', 'app2']));
    const late = await registered();
    await agent.set('private');
    await poll();
    expect(sync.getAuthorizationsForDomain(domain)).toMatchObject([{ property_ids: ['app', 'app2'] }]);
    expect(sync.isAuthorized('https://other.example', domain)).toBe(false);
    expect(sync.getAgent(agent.url)).toBeUndefined();
    expect(sync.getAgent(late.url)).toMatchObject({ type: 'sales' });
    sync.stop();
  });

  it('starts with what counts now: what is over is not told', async () => {
    await crawl({ ...entry(seller), effective_until: toTimestamp(at.clock.now() + 60_000) });
    const first = replica();
    await first.sync.start();
    expect(first.sync.isAuthorized(seller, domain)).toBe(true);
    first.sync.stop();
    at.clock.advance(61_000);
    const { sync } = replica();
    await sync.start();
    expect(sync.isAuthorized(seller, domain)).toBe(false);
    sync.stop();
  });

  it('tells what the operator entered, and what is taken back', async () => {
    const authorization_id = authorizationId(domain, seller, 'hosted');
    const pair = { publisher_domain: domain, agent_url: seller, authorized_for: 'all', source: 'hosted' as const };
    const rows = at.store.collection(authorizations);
    const tell = () => publishState({ ...at, changeSignal: nobody }, authorizationSubject(domain, seller));
    const dates = { source_url: null, seen_at: toTimestamp(at.clock.now()), revision: 1 };
    await rows.insert({ authorization_id, ...pair, ...dates });
    await tell();
    const { sync, poll } = replica();
    await sync.start();
    expect(sync.getAuthorizationsForDomain(domain)).toMatchObject([{ agent_url: seller, authorization_type: 'all' }]);
    await rows.delete(authorization_id);
    await tell();
    await poll();
    expect(sync.isAuthorized(seller, domain)).toBe(false);
    sync.stop();
  });

  it('goes on from the cursor in its file', async () => {
    await crawl(entry(seller));
    const { sync, path } = replica();
    await sync.start();
    sync.stop();
    const kept = await readFile(path, 'utf8');
    expect(kept).toBe(sync.getCursor());
    domain = `p-${randomUUID()}.example`;
    await crawl(entry(seller));
    const again = replica(path.split('/').at(-1));
    await again.sync.start();
    expect(again.sync.getAuthorizationsForAgent(seller).map((one) => one.publisher_domain)).toEqual([domain]);
    again.sync.stop();
  });

  it('begins anew, from what is left of forgotten events, where its place is no longer kept', async () => {
    await crawl(entry(seller));
    const { sync, path, poll } = replica();
    await sync.start();
    const old = domain;
    domain = `p-${randomUUID()}.example`;
    await crawl(entry(seller));
    await registered();
    await registered();
    await forgetAll();
    const expired = await readFile(path, 'utf8');
    expect((await at.get(`/api/registry/feed?cursor=${expired}`)).status).toBe(410);
    await poll();
    expect([sync.isAuthorized(seller, old), sync.isAuthorized(seller, domain)]).toEqual([true, true]);
    sync.stop();
    const later = replica();
    await writeFile(later.path, expired);
    await later.sync.start();
    expect([later.sync.isAuthorized(seller, old), later.sync.isAuthorized(seller, domain)]).toEqual([true, true]);
    expect(later.sync.getCursor()).not.toBe(expired);
    later.sync.stop();
    const fresh = replica();
    await fresh.sync.start();
    expect(fresh.sync.getStats()).toEqual(later.sync.getStats());
    fresh.sync.stop();
  });

  it('comes by pages of any size to the same, also where a publisher has more agents than a page', async () => {
    await crawl(...Array.from({ length: 40 }, (_, i) => entry(`https://a${i}.example`)));
    const auth = { Authorization: 'Bearer any' };
    const told: unknown[] = [];
    let cursor = '';
    for (;;) {
      const place = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = (await at.get(`/api/registry/feed?limit=7&publisher=${domain}${place}`).set(auth)).body as Page;
      told.push(...page.events);
      cursor = page.cursor;
      if (!page.has_more) break;
    }
    const granted = told.filter((event) => (event as { event_type: string }).event_type === 'authorization.granted');
    expect(granted).toHaveLength(40);
    expect(new Set(told.map((event) => (event as { event_id: string }).event_id)).size).toBe(told.length);
  });

  it('[R16.feed] says that there is more where something changed after it began', async () => {
    await crawl(entry(seller));
    const read = async (query: string) =>
      (await at.get(`/api/registry/feed?${query}`).set({ Authorization: 'Bearer any' })).body as Page;
    const begun = await read('limit=1');
    await crawl(entry('https://later.example'));
    const rest = await read(`limit=1000&cursor=${begun.cursor}`);
    expect(rest.has_more).toBe(true);
    const last = await read(`limit=1000&cursor=${rest.cursor}`);
    expect(last.has_more).toBe(false);
    expect(JSON.stringify(last.events)).toContain('https://later.example');
  });

  it('stands beside our own members, and leaves stored events one by one without a credential', async () => {
    const { cursor } = (await at.get('/api/registry/feed?limit=1000')).body as Page;
    await crawl(entry(seller));
    const { body } = (await at.get(`/api/registry/feed?cursor=${cursor}`)) as { body: Page };
    const common = { actor: 'registry', entity_id: domain, payload: { publisher_domain: domain } };
    expect(body.events).toMatchObject([
      { type: 'publisher.added', event_type: 'publisher.added', entity_type: 'publisher', ...common },
      { type: 'property.added', event_type: 'property.created', entity_type: 'property', ...common },
    ]);
    for (const { id, event_id, occurred_at, created_at } of body.events)
      expect([event_id, created_at]).toEqual([id, occurred_at]);
  });

  it('[R16.feed] filters by types of both, and by all of a kind, and refuses others', async () => {
    const { cursor } = (await at.get('/api/registry/feed?limit=1000')).body as Page;
    await registered();
    await crawl(entry(seller));
    const ask = (types: string, auth = {}) =>
      at.get(`/api/registry/feed?cursor=${cursor}&types=${types}`).set(auth) as Promise<{ status: number; body: Page }>;
    const names = async (types: string, auth = {}) => (await ask(types, auth)).body.events.map((one) => one['type']);
    expect(await names('agent.*')).toEqual(['agent.added']);
    expect(await names('agent.discovered,property.created')).toEqual(['agent.added', 'property.added']);
    expect(await names('property.*,agent.added')).toEqual(['agent.added', 'property.added']);
    expect(await names('authorization.*')).toEqual([]);
    expect(await names('authorization.*', { Authorization: 'Bearer any' })).toEqual(['authorization.added']);
    expect(await names('*')).toHaveLength(4);
    for (const wrong of ['agents.*', 'agent.renamed', '']) expect((await ask(wrong)).status).toBe(400);
  });
});
