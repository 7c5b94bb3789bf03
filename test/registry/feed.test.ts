import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyCheck } from '../../src/directory/badge/apply-check.ts';
import { badges } from '../../src/directory/badge/badge.ts';
import { announcing, publishOverdue } from '../../src/directory/feed/announcing.ts';
import { feedEvents, feedIntents } from '../../src/directory/feed/feed-event.ts';
import { publishState } from '../../src/directory/feed/publish.ts';
import type { FeedDeps } from '../../src/directory/feed/publish.ts';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { organizationId } from '../support/ids.ts';

import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';
import { describeOnStores } from '../support/stores.ts';

interface Event {
  id: string;
  type: string;
  subject: string;
  state: Record<string, unknown> | null;
}
interface Page {
  events: Event[];
  has_more: boolean;
  cursor: string;
}

describeOnStores('[C.endpoints.feed] the change feed on %s', (kind) => {
  let at: Registry;
  let deps: FeedDeps;
  beforeAll(async () => {
    at = await startRegistry(kind);
    const nobody = {
      publish: () => Promise.resolve(),
      subscribe: () => Promise.resolve(() => undefined),
      close: () => Promise.resolve(),
    };
    deps = { ...at, changeSignal: nobody };
  });
  afterAll(() => at.close());

  const page = async (cursor?: string, limit = 1000) =>
    (await at.get(`/api/registry/feed?limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`)).body as Page;
  const end = async () => (await page()).cursor;
  const agentRow = (visibility: Agent['visibility']): Agent => {
    const now = toTimestamp(at.clock.now());
    const id = randomUUID();
    return {
      ...{
        agent_id: id,
        url: `https://${id}.example`,
        organization_id: organizationId('o'),
        name: 'A',
        type: 'sales',
        visibility,
      },
      ...{ created_at: now, updated_at: now, revision: 1 },
    };
  };

  it('tells what happens to organizations and agents over HTTP, and only what is public', async () => {
    const from = await end();
    const domain = `f-${randomUUID()}.example`;
    const token = await at.token({ sub: randomUUID(), email: `p@${domain}` });
    const auth = { Authorization: `Bearer ${token}` };
    const made = await at.post('/api/me/agents', { url: `https://${domain}`, type: 'sales' }).set(auth);
    const { agent_id } = made.body as { agent_id: string };
    const patch = (body: object) => at.send('patch', `/api/me/agents/${agent_id}`, body).set(auth);
    await patch({ visibility: 'members_only' });
    await patch({ visibility: 'public' });
    await patch({ visibility: 'public' });
    await patch({ name: 'Named' });
    await patch({ visibility: 'private' });
    await patch({ visibility: 'public' });
    await at.send('delete', `/api/me/agents/${agent_id}`).set(auth);
    const { events } = await page(from);
    expect(events.map(({ type, state }) => [type, state?.['name']])).toEqual([
      ['organization.added', domain],
      ['agent.added', domain],
      ['agent.changed', 'Named'],
      ['agent.removed', undefined],
      ['agent.added', 'Named'],
      ['agent.removed', undefined],
    ]);
  });

  it('gives numbers without gaps to any number of writers at once, and pages without skipping', async () => {
    const from = await end();
    const rows = Array.from({ length: 24 }, () => agentRow('public'));
    await at.store.collection(agents).insertMany(rows);
    const other = { ...deps, store: await at.another() };
    const seen: string[] = [];
    let cursor = from;
    const work = { isDone: false };
    const reading = (async () => {
      for (let last = false; ;) {
        const { events, has_more, cursor: next } = await page(cursor, 5);
        seen.push(...events.map(({ id }) => id));
        cursor = next;
        if (has_more) continue;
        if (last) return;
        last = work.isDone;
      }
    })();
    await Promise.all(
      rows.map((row, i) => publishState(i % 2 === 0 ? deps : other, { kind: 'agent', key: row.agent_id })),
    );
    work.isDone = true;
    await reading;
    expect(seen.map(Number)).toEqual(Array.from({ length: 24 }, (_, i) => Number(from) + 1 + i));
  });

  it('tells one state once, and of many tellers at once the newest state last', async () => {
    const from = await end();
    const row = agentRow('public');
    const rows = at.store.collection(agents);
    await rows.insert(row);
    const subject = { kind: 'agent', key: row.agent_id } as const;
    await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        await rows.update(row.agent_id, (known) => ({ ...known, name: `Name ${i}` }));
        await publishState(deps, subject);
      }),
    );
    const { events } = await page(from);
    const final = await rows.get(row.agent_id);
    expect(events.at(-1)?.state).toMatchObject({ name: final?.name });
    await publishState(deps, subject);
    expect((await page(from)).events).toHaveLength(events.length);
  });

  it('tells by a worker what a process that died could not', async () => {
    const from = await end();
    const row = agentRow('public');
    const died = announcing(deps, [{ kind: 'agent', key: row.agent_id }], async () => {
      await at.store.collection(agents).insert(row);
      throw new Error('killed here');
    });
    await expect(died).rejects.toThrow('killed here');
    expect((await page(from)).events).toEqual([]);
    await publishOverdue(deps);
    expect((await page(from)).events).toEqual([]);
    at.clock.advance(61_000);
    await publishOverdue(deps);
    await publishOverdue(deps);
    expect((await page(from)).events).toMatchObject([{ type: 'agent.added', state: { url: row.url } }]);
    expect(await at.store.collection(feedIntents).count({ created_at: { gt: '' } })).toBe(0);
  });

  it.each(['creates', 'adopts', 'registers an agent and so creates'])(
    'tells by a worker the organization of a process that died between the claim and its event: one that %s',
    async (how) => {
      const doomed = await startRegistry(kind, { wrapStore: diesTelling });
      const domain = `d-${randomUUID()}.example`;
      if (how === 'adopts') await doomed.organization({ state: 'prospect', corporate_domain: domain });
      const auth = { Authorization: `Bearer ${await doomed.token({ sub: randomUUID(), email: `p@${domain}` })}` };
      const answer = await (
        how.startsWith('registers')
          ? doomed.post('/api/me/agents', { url: `https://${domain}`, type: 'sales' })
          : doomed.post('/api/organizations', { organization_name: 'Acme' })
      ).set(auth);
      expect(answer.status).toBe(500);
      expect(await doomed.store.collection(feedEvents).count({ sequence: { gt: 0 } })).toBe(0);
      doomed.clock.advance(61_000);
      await publishOverdue({ ...deps, store: doomed.store, clock: doomed.clock });
      const told = (await doomed.store.collection(feedEvents).find({ where: { sequence: { gt: 0 } } })).rows;
      expect(told.map((event) => [event.kind, event.change, event.state_json?.includes(domain)])).toEqual([
        ['organization', 'added', true],
      ]);
      await doomed.close();
    },
  );

  it('tells a badge only while its agent is public, and takes it back with the agent', async () => {
    const from = await end();
    const domain = `b-${randomUUID()}.example`;
    const url = `https://${domain}`;
    const auth = { Authorization: `Bearer ${await at.token({ sub: randomUUID(), email: `p@${domain}` })}` };
    const made = await at.post('/api/me/agents', { url, type: 'sales' }).set(auth);
    const { agent_id } = made.body as { agent_id: string };
    const passed = new Map([['media-buy', { step: 'verified', proof: 'answered' }]] as const);
    await applyCheck(deps, url, { kind: 'judged', version: '3.1', passed, failed: new Map() });
    const patch = (visibility: string) => at.send('patch', `/api/me/agents/${agent_id}`, { visibility }).set(auth);
    for (const visibility of ['public', 'members_only', 'public']) await patch(visibility);
    await at.send('delete', `/api/me/agents/${agent_id}`).set(auth);
    const { events } = await page(from);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('badge'))).toEqual([
      'badge.added',
      'badge.removed',
      'badge.added',
      'badge.removed',
    ]);
    expect((await at.store.collection(badges).find({ where: { agent_url: url } })).rows).toMatchObject([
      { status: 'revoked', reason: 'the agent is no longer registered' },
    ]);
  });

  it.each(['-1', 'x', '1e3', '1.2', '9'.repeat(16)])('answers 400 to the cursor %s', async (cursor) => {
    expect((await at.get(`/api/registry/feed?cursor=${cursor}`)).status).toBe(400);
  });

  it('streams what was and what comes as server-sent events, and goes on from Last-Event-ID', async () => {
    const server = createServer(at.app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const domain = `s-${randomUUID()}.example`;
    const token = await at.token({ sub: randomUUID(), email: `p@${domain}` });
    const register = (path: string) =>
      at
        .post('/api/me/agents', { url: `https://${domain}${path}`, type: 'sales', visibility: 'public' })
        .set('Authorization', `Bearer ${token}`);
    const from = await end();
    await register('/one');
    const open = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/api/registry/feed/stream`, {
      headers: { 'last-event-id': from },
      signal: open.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    const decoder = new TextDecoder();
    const reader = (response.body ?? new ReadableStream()).getReader();
    const until = async (words: string) => {
      while (!text.includes(words)) text += decoder.decode(((await reader.read()) as { value?: Uint8Array }).value);
    };
    await until(`https://${domain}/one`);
    await register('/two');
    await until(`https://${domain}/two`);
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(ids.map((_, i) => Number(from) + 1 + i));
    expect(text).toContain('event: agent.added');
    open.abort();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
});

/** The store of a process that dies when it comes to tell what it did. */
function diesTelling(store: Store): Store {
  const dies = () => Promise.reject(new Error('killed here'));
  return {
    ...store,
    collection: (spec) =>
      spec.name === feedEvents.name ? { ...store.collection(spec), insert: dies, find: dies } : store.collection(spec),
  };
}
