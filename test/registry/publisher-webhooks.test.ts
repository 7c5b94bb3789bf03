import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createReceiver, memoryInbox, memoryReplayStore } from '#receiver';
import type { ReceivedWebhook } from '#receiver';
import { toNode } from '#receiver/node/index';
import { userIdOf } from '../../src/directory/oauth/access-token.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { authorizations } from '../../src/directory/authorization/authorization.ts';
import { publishers } from '../../src/directory/publisher/publisher.ts';
import { publisherWatches } from '../../src/directory/publisher-watch/publisher-watch.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { createOutbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Outbound } from '../../src/platform/outbound/outbound-client.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { crawlPublisher } from '../../src/registry/crawl/crawl-publisher.ts';
import { crawlDue } from '../../src/registry/periodic-jobs.ts';
import { endpoints } from '../../src/registry/index.ts';
import { endWatch, tellPublishers } from '../../src/registry/publisher-webhooks/look.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import type { TestOutcome } from '../../src/webhooks/buyer/test-event.ts';
import { silent } from '../directory/support/installation.ts';
import { serveHttp } from '../platform/outbound/support/servers.ts';
import { describeOnStores } from '../support/stores.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { makeKnown } from '../webhooks/support/known-origin.ts';
import { json } from './support/agents.ts';
import { ISSUER, startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};
const SECRET = 'a secret of the publisher, long enough to be one';
const OWN = endpoints.filter(({ path }) => path.includes('publisher-webhooks'));

interface Told {
  event: string;
  agents: string[];
  idempotency_key: string;
  sequence: number;
}
interface Owner {
  as: { Authorization: string };
  organization_id: string;
  domain: string;
  path: string;
}

describeOnStores("[R15.told] webhooks of publishers' changes on %s", (kind) => {
  let at: Registry;
  let outbound: Outbound;
  let origin: string;
  let answer: (response: ServerResponse) => void;
  /** How many writes this process still does before it is dead. */
  let life = Infinity;

  const mortal = (store: Store) =>
    withStoreHooks(store, {
      before() {
        if (life <= 0) throw new Error('the process is dead');
      },
      after() {
        life -= 1;
        if (life <= 0) throw new Error('the process is dead');
      },
    });

  beforeAll(async () => {
    at = await startRegistry(kind, { wrapStore: mortal, adAgentsUrl: () => origin });
    outbound = createOutbound({ allowLoopback: true });
  });
  afterAll(async () => {
    await outbound.close();
    await at.close();
  });
  beforeEach(async () => {
    ({ origin } = await serveHttp((_request, response) => {
      answer(response);
    }));
  });

  const says = (...entries: object[]) => {
    answer = (response) => {
      json(response, { authorized_agents: entries });
    };
  };
  const agent = (name: string, more: object = {}) => ({
    url: `https://${name}.example`,
    authorized_for: 'all of it',
    ...more,
  });
  const deps = (store: Store = at.store) => ({
    ...at,
    ...{ store, changeSignal, outbound, log: silent, probeMs: 60_000, adAgentsUrl: () => origin },
  });
  const crawl = async (domain: string, store?: Store) => crawlPublisher(deps(store), domain);
  const tell = (store?: Store) => tellPublishers(deps(store));

  async function owner(): Promise<Owner> {
    const sub = randomUUID();
    const domain = `p-${randomUUID()}.example`;
    const owner_id = userIdOf(ISSUER, sub);
    const { organization_id } = await at.organization({
      ...{ owner_id, corporate_domain: domain, domain_verified_by: 'dns' },
    });
    const as = { Authorization: `Bearer ${await at.token({ sub, expiresIn: 86_400 * 7 })}` };
    return { as, organization_id, domain, path: `/api/organizations/${organization_id}/publisher-webhooks` };
  }
  async function registered(who: Owner, more: object = {}): Promise<string> {
    const body = { publisher_domain: who.domain, url: 'https://hooks.publisher.example/h?key=hidden', ...more };
    const made = await at.post(who.path, body).set(who.as);
    expect([made.status, made.body]).toMatchObject([201, { publisher_domain: who.domain }]);
    return (made.body as { registration_id: string }).registration_id;
  }
  async function deliveriesOf(task_id: string) {
    const sort = { field: 'sequence', direction: 'asc' } as const;
    return (await at.store.collection(Deliveries).find({ where: { task_id }, sort })).rows;
  }
  async function told(task_id: string): Promise<Told[]> {
    return (await deliveriesOf(task_id)).map(({ event, body, idempotency_key, sequence }) => {
      const { result } = JSON.parse(body) as { result: { authorizations?: { agent_url: string }[] } };
      const agents = (result.authorizations ?? []).map(
        ({ agent_url }) => new URL(agent_url).hostname.split('.')[0] ?? '',
      );
      return { event, agents, idempotency_key, sequence };
    });
  }
  const inShort = (all: Told[]) => all.map(({ event, agents }) => [event, ...agents].join(' '));

  it('tells what a crawl added, changed and took back, once, whichever process looks', async () => {
    const who = await owner();
    says(agent('stays'), agent('goes'), agent('turns'));
    await crawl(who.domain);
    const id = await registered(who);
    await tell();
    expect(await told(id)).toEqual([]);
    says(agent('stays'), agent('turns', { countries: ['NL'] }), agent('comes'));
    await crawl(who.domain);
    const other = await at.another();
    await Promise.all([tell(), tell(other), tell()]);
    await tell();
    const all = await told(id);
    expect(inShort(all).sort()).toEqual([
      'authorization.added comes',
      'authorization.changed turns',
      'authorization.removed goes',
    ]);
    expect(new Set(all.map(({ idempotency_key }) => idempotency_key)).size).toBe(3);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  });

  it('tells what begins and ends by its dates when that comes, without a crawl', async () => {
    const who = await owner();
    const from = toTimestamp(at.clock.now() + 10 * MINUTE_MS);
    const until = toTimestamp(at.clock.now() + 20 * MINUTE_MS);
    says(agent('dated', { effective_from: from, effective_until: until }), agent('always'));
    await crawl(who.domain);
    const id = await registered(who);
    const seen: string[][] = [];
    for (const minutes of [0, 9, 1, 5, 5, 5]) {
      at.clock.advance(minutes * MINUTE_MS);
      await tell();
      seen.push(inShort(await told(id)));
    }
    const began = 'authorization.began dated';
    const ended = 'authorization.ended dated';
    expect(seen).toEqual([[], [], [began], [began], [began, ended], [began, ended]]);
  });

  it("tells what a manager's file changes for a publisher without one", async () => {
    const who = await owner();
    const manager = `m-${randomUUID()}.example`;
    const selector = { selection_type: 'all', publisher_domain: who.domain };
    const forPublisher = { authorization_type: 'publisher_properties', publisher_properties: [selector] };
    says(agent('elsewhere'));
    await crawl(manager);
    await at.post(`/api/registry/publishers/${who.domain}/crawl`);
    await at.store
      .collection(publishers)
      .update(who.domain, (row) => ({ ...row, verified: false, manager_domain: manager }));
    const rows = await at.store.collection(authorizations).find({ where: { publisher_domain: who.domain } });
    for (const { authorization_id } of rows.rows) await at.store.collection(authorizations).delete(authorization_id);
    const id = await registered(who);
    says(agent('elsewhere'), agent('sells', forPublisher));
    at.clock.advance(1);
    await crawl(manager);
    await tell();
    expect(inShort(await told(id))).toEqual(['authorization.added sells']);
  });

  it('tells that a file fails after three looks, and that it is well again', async () => {
    const who = await owner();
    says(agent('a'));
    await crawl(who.domain);
    const id = await registered(who, { events: ['crawl.failing', 'crawl.recovered'] });
    answer = (response) => {
      response.writeHead(500).end();
    };
    const seen: string[][] = [];
    for (let look = 0; look < 4; look++) {
      at.clock.advance(1);
      await crawl(who.domain);
      await tell();
      seen.push(inShort(await told(id)));
    }
    expect(seen).toEqual([[], [], ['crawl.failing'], ['crawl.failing']]);
    says(agent('a'), agent('b'));
    at.clock.advance(1);
    await crawl(who.domain);
    await tell();
    // What was not asked for is not told.
    expect(inShort(await told(id))).toEqual(['crawl.failing', 'crawl.recovered']);
  });

  it('loses nothing and tells nothing twice when the process dies after any of its writes', async () => {
    let isAlive = false;
    let changes = 0;
    for (let n = 1; !isAlive; n++) {
      const who = await owner();
      says(agent('before'));
      await crawl(who.domain);
      const id = await registered(who);
      await tell();
      says(agent('after'));
      at.clock.advance(1);
      life = n;
      try {
        await crawl(who.domain, mortal(at.store));
        await tell(mortal(at.store));
      } catch {
        // It died.
      }
      isAlive = life > 0;
      life = Infinity;
      // Another process goes on: leases have run out, and what was held is due.
      at.clock.advance(3 * MINUTE_MS);
      await tell();
      await crawlDue(deps());
      await tell();
      await tell();
      const { rows } = await at.store.collection(authorizations).find({ where: { publisher_domain: who.domain } });
      const agents = rows.map(({ agent_url }) => agent_url);
      const expected = agents.includes('https://after.example')
        ? ['authorization.added after', 'authorization.removed before']
        : [];
      const all = await told(id);
      expect(inShort(all).sort(), `after write ${n}`).toEqual(expected);
      expect(new Set(all.map(({ idempotency_key }) => idempotency_key)).size).toBe(all.length);
      changes += expected.length;
      await endWatch(deps(), id);
    }
    expect(changes).toBeGreaterThan(20);
  });

  it('keeps a registration that has ended until what was about to be sent there has been made, whatever changes meanwhile', async () => {
    const who = await owner();
    says(agent('a'));
    await crawl(who.domain);
    const id = await registered(who);
    await tell();
    await endWatch(deps(), id);
    says(agent('b'));
    await crawl(who.domain);
    await tell();
    const rows = at.store.collection(publisherWatches);
    expect(await rows.get(id)).toMatchObject({ ended_at: expect.any(String) as string });
    at.clock.advance(2 * MINUTE_MS);
    await tell();
    expect(await rows.get(id)).toBeUndefined();
    expect(await told(id)).toEqual([]);
  });

  it('is verified by the receiver as any webhook, signed or by a shared secret', async () => {
    const who = await owner();
    says(agent('a'));
    await crawl(who.domain);
    const { keys } = await at.webhooks.jwks();
    const got: ReceivedWebhook[] = [];
    const listen = async (registration: Parameters<typeof createReceiver>[0]['registration']) => {
      const handlers: ReturnType<typeof toNode>[] = [];
      const server = await serveHttp((request, response) => handlers[0]?.(request, response));
      handlers.push(
        toNode(
          createReceiver({
            ...{ publicUrl: server.origin, registration, replay: memoryReplayStore(), inbox: memoryInbox() },
            ...{ now: () => at.clock.now(), expects: () => true, onEvent: (webhook) => void got.push(webhook) },
          }),
        ),
      );
      await makeKnown(at.gate, `${server.origin}/h`, at.clock.now());
      return `${server.origin}/h`;
    };
    const signed = await listen({ mode: 'rfc9421', sender: 'registry', jwks: { keys } });
    const shared = await listen({ mode: 'hmac-sha256', sender: 'registry', secret: SECRET });
    const ids = [
      await registered(who, { url: signed }),
      await registered(who, { url: shared, authentication: { schemes: ['HMAC-SHA256'], credentials: SECRET } }),
    ];
    says(agent('a'), agent('b'));
    at.clock.advance(1);
    await crawl(who.domain);
    await tell();
    for (const id of ids) {
      for (const { delivery_id, destination } of await deliveriesOf(id))
        await at.webhooks.attempt({ delivery_id, destination, attempt: 1 }, new AbortController().signal);
      const tested = await at.post(`${who.path}/${id}/test`).set(who.as);
      expect([tested.status, (tested.body as TestOutcome).delivered, JSON.stringify(tested.body)]).toMatchObject([
        200,
        true,
        expect.anything(),
      ]);
      expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(['delivered']);
    }
    expect(got.map(({ event }) => event.task_type)).toEqual([
      ...['publisher_event', 'webhook_test', 'publisher_event', 'webhook_test'],
    ]);
  });

  it('keeps secrets sealed for their URL, and shows none', async () => {
    const who = await owner();
    const authentication = { schemes: ['HMAC-SHA256'], credentials: SECRET };
    const id = await registered(who, { authentication });
    const stored = JSON.stringify(await at.store.collection(publisherWatches).get(id));
    expect(stored).not.toContain(SECRET);
    expect(stored).not.toContain('hidden');
    const change = (body: object) => at.send('patch', `${who.path}/${id}`, body).set(who.as);
    const moved = await change({ url: 'https://elsewhere.publisher.example/h' });
    expect([moved.status, (moved.body as { field: string }).field]).toEqual([400, 'authentication']);
    const alone = await change({ authentication });
    expect([alone.status, (alone.body as { field: string }).field]).toEqual([400, 'url']);
    const refused = await change({ url: 'https://10.0.0.1/h', authentication: null });
    expect([refused.status, (refused.body as { field: string }).field]).toEqual([400, 'url']);
    expect(JSON.stringify(await at.store.collection(publisherWatches).get(id))).toBe(stored);
    const done = await change({
      url: 'https://elsewhere.publisher.example/h?x=1',
      authentication: null,
      events: ['crawl.failing'],
    });
    expect(done.body).toMatchObject({
      url: 'https://elsewhere.publisher.example/h',
      schemes: [],
      events: ['crawl.failing'],
    });
    const all = await at.get(who.path).set(who.as);
    expect((all.body as { webhooks: object[] }).webhooks).toEqual([done.body]);
    expect(JSON.stringify(all.body)).not.toMatch(/hidden|secret|sealed/);
  });

  it('ends where its receiver is gone for good', async () => {
    const who = await owner();
    const gone = await serveHttp((_request, response) => {
      response.writeHead(410).end();
    });
    await makeKnown(at.gate, `${gone.origin}/h`, at.clock.now());
    says(agent('a'));
    await crawl(who.domain);
    const id = await registered(who, { url: `${gone.origin}/h` });
    says(agent('b'));
    at.clock.advance(1);
    await crawl(who.domain);
    await tell();
    const [first, second] = await deliveriesOf(id);
    if (first === undefined || second === undefined) throw new Error('two were to be told');
    const { delivery_id, destination } = first;
    await at.webhooks.attempt({ delivery_id, destination, attempt: 1 }, new AbortController().signal);
    expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(['gone', 'ended']);
    expect((await at.get(who.path).set(who.as)).body).toEqual({ webhooks: [] });
  });

  it('ends with its deletion, and with the hold on the domain: what was on its way ends, too', async () => {
    for (const end of ['deleted', 'lost'] as const) {
      const who = await owner();
      says(agent('a'));
      await crawl(who.domain);
      const id = await registered(who);
      says(agent('b'));
      at.clock.advance(1);
      await crawl(who.domain);
      await tell();
      if (end === 'deleted') {
        expect((await at.send('delete', `${who.path}/${id}`).set(who.as)).status).toBe(204);
        expect((await at.send('delete', `${who.path}/${id}`).set(who.as)).status).toBe(404);
      } else {
        const rows = at.store.collection(organizations);
        await rows.update(who.organization_id, (row) => ({ ...row, domain_verified_by: null }));
      }
      says(agent('c'));
      at.clock.advance(1);
      await crawl(who.domain);
      await tell();
      expect((await deliveriesOf(id)).map(({ state }) => state)).toEqual(['ended', 'ended']);
      at.clock.advance(HOUR_MS);
      await tell();
      expect(await at.store.collection(publisherWatches).get(id)).toBeUndefined();
    }
  });

  it('[T5] is for owners of the domain alone', async () => {
    const [who, stranger] = [await owner(), await owner()];
    const id = await registered(who);
    expect(OWN).toHaveLength(5);
    for (const { method, path, body } of OWN) {
      const call = (of: Owner) => {
        const there = path.replace('{orgId}', of.organization_id).replace('{registrationId}', id);
        if (method === 'get') return at.get(there);
        const sent = { publisher_domain: who.domain, url: 'https://hooks.publisher.example/h' };
        if (method === 'post') return at.post(there, body === undefined ? undefined : sent);
        return at.send(method, there, method === 'patch' ? { events: ['crawl.failing'] } : undefined);
      };
      expect((await call(who)).status).toBe(401);
      expect((await call(who).set(stranger.as)).status).toBe(403);
      const theirs = await call(stranger).set(stranger.as);
      if (path.includes('{registrationId}')) expect(theirs.status).toBe(404);
      else if (method === 'post')
        expect([theirs.status, theirs.body]).toMatchObject([400, { field: 'publisher_domain' }]);
      else expect(theirs.body).toEqual({ webhooks: [] });
    }
    const bad = await at.post(who.path, { publisher_domain: who.domain, url: 'http://10.0.0.1/' }).set(who.as);
    expect([bad.status, (bad.body as { field: string }).field]).toEqual([400, 'url']);
    expect((await at.get(who.path).set(who.as)).body).toMatchObject({ webhooks: [{ registration_id: id }] });
  });
});
