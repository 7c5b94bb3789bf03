import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { authorizationId, authorizations } from '../../src/directory/authorization/authorization.ts';
import type { Authorization } from '../../src/directory/authorization/authorization.ts';
import { announcing, publishOverdue } from '../../src/directory/feed/announcing.ts';
import { feedEvents, feedIntents } from '../../src/directory/feed/feed-event.ts';
import { authorizationSubject } from '../../src/directory/feed/public-state.ts';
import { publishStates } from '../../src/directory/feed/publish-many.ts';
import { publishState } from '../../src/directory/feed/publish.ts';
import type { FeedDeps } from '../../src/directory/feed/publish.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import { organizationId } from '../support/ids.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { spoilRow } from '../support/spoil-row.ts';
import type { AnySpec } from '../support/spoil-row.ts';
import { describeOnStores } from '../support/stores.ts';
import { installation } from './support/installation.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0)) await close();
});

const changeSignal = {
  publish: () => Promise.resolve(),
  subscribe: () => Promise.resolve(() => undefined),
  close: () => Promise.resolve(),
};

describeOnStores('a row of the feed that cannot be read, on %s', (kind) => {
  async function openFeed() {
    const at = await installation([agents, authorizations, feedEvents, feedIntents], kind);
    cleanUp.push(() => at.close());
    const deps: FeedDeps = { ...at, changeSignal };
    const now = toTimestamp(at.clock.now());
    return {
      deps,
      clock: at.clock,
      spoil: (spec: AnySpec, key: string, field: string) => spoilRow(() => at.another([]), spec, key, field),
      async addAgent() {
        const id = randomUUID();
        const row: Agent = {
          ...{
            agent_id: id,
            url: `https://${id}.example`,
            organization_id: organizationId('o'),
            name: 'A',
            type: 'sales',
          },
          ...{ visibility: 'public', created_at: now, updated_at: now, revision: 1 },
        };
        await at.store.collection(agents).insert(row);
        return { kind: 'agent', key: id } as const;
      },
      async authorize(publisher_domain: string) {
        const agent_url = 'https://agent.example';
        const authorization_id = authorizationId(publisher_domain, agent_url, 'adagents_json');
        const row: Authorization = {
          ...{ authorization_id, publisher_domain, agent_url, authorized_for: 'all' },
          ...{ source: 'adagents_json', source_url: null, seen_at: now, revision: 1 },
        };
        await at.store.collection(authorizations).insert(row);
        return { authorization_id, subject: authorizationSubject(publisher_domain, agent_url) };
      },
      changes: async () => {
        const { rows } = await at.store.collection(feedEvents).find({ where: { sequence: { gt: 0 } } });
        return rows.map(({ change, subject }) => [change, subject]);
      },
      owed: () => at.store.collection(feedIntents).count({ created_at: { gt: '' } }),
    };
  }

  it('[S6] at its end is told of; nobody tries its number for ever', async () => {
    const feed = await openFeed();
    await publishState(feed.deps, await feed.addAgent());
    const mend = await feed.spoil(feedEvents, '0000000000000001', 'kind');
    const next = await feed.addAgent();
    await expect(announcing(feed.deps, [next], () => Promise.resolve())).rejects.toThrow('feed event 1 is there');
    expect(await feed.owed()).toBe(1);
    await mend();
    feed.clock.advance(60_000);
    await publishOverdue(feed.deps);
    expect(await feed.changes()).toHaveLength(2);
    expect(await feed.owed()).toBe(0);
  });

  it('[S6] is not told as one that is gone, stays owed, and keeps none of the others waiting', async () => {
    const feed = await openFeed();
    const { authorization_id, subject } = await feed.authorize('bad.example');
    await publishState(feed.deps, subject);
    const mend = await feed.spoil(authorizations, authorization_id, 'authorized_for');
    await expect(announcing(feed.deps, [subject], () => Promise.resolve())).rejects.toThrow('cannot be read');
    // More than are looked at in one go.
    const stuck = Array.from({ length: 120 }, () => subject);
    await announcing(feed.deps, stuck, () => Promise.resolve()).catch(() => undefined);
    const later = await feed.addAgent();
    feed.clock.advance(1);
    const died = announcing(feed.deps, [later], () => Promise.reject(new Error('killed here')));
    await expect(died).rejects.toThrow('killed here');

    feed.clock.advance(60_000);
    await expect(publishOverdue(feed.deps)).rejects.toThrow('cannot be read');
    expect(await feed.changes()).toEqual([
      ['added', expect.any(String)],
      ['added', `agent/${later.key}`],
    ]);
    expect(await feed.owed()).toBe(121);
    await mend();
    await publishOverdue(feed.deps);
    expect(await feed.owed()).toBe(0);
    expect(await feed.changes()).toHaveLength(2);
  });
});

describeOnStores('numbers of the feed, on %s', (kind) => {
  it('of many told at once have no gap at any write, though others take some and a process dies on the way', async () => {
    const at = await installation([agents, feedEvents, feedIntents], kind);
    cleanUp.push(() => at.close());
    const other = await at.another();
    const add = async () => {
      const id = randomUUID();
      const row: Agent = {
        ...{ agent_id: id, url: `https://${id}.example`, organization_id: organizationId('o'), name: 'A' },
        ...{ type: 'sales', visibility: 'public', created_at: '2026', updated_at: '2026', revision: 1 },
      };
      await at.store.collection(agents).insert(row);
      return { kind: 'agent', key: id } as const;
    };
    const numbers = async () => {
      const { rows } = await other
        .collection(feedEvents)
        .find({ where: { sequence: { gt: 0 } }, sort: { field: 'sequence', direction: 'asc' }, limit: 1000 });
      return rows.map(({ sequence }) => sequence);
    };
    const many = await Promise.all(Array.from({ length: 40 }, add));
    let rivals = 0;
    const racing = withStoreHooks(at.store, {
      // Another takes the number in the middle of what is about to be written, having told all before it.
      async before({ kind: of, collection }) {
        if (of !== 'insertMany' || collection !== 'feed_events' || ++rivals > 3) return;
        const rival = { ...at, store: other, changeSignal };
        for (let n = 0; n < 2; n++) await publishState(rival, await add());
      },
      async after({ collection }) {
        if (collection !== 'feed_events') return;
        const all = await numbers();
        expect(all).toEqual(all.map((_, i) => i + 1));
        if (rivals === 2) throw new Error('killed here');
      },
    });
    await publishStates({ ...at, store: racing, changeSignal }, many).catch((error: unknown) => {
      expect(error).toMatchObject({ message: 'killed here' });
    });
    await publishStates({ ...at, changeSignal }, many);
    expect(rivals).toBeGreaterThanOrEqual(2);
    const all = await numbers();
    expect(all).toEqual(all.map((_, i) => i + 1));
    const { rows } = await other.collection(feedEvents).find({ where: { sequence: { gt: 0 } }, limit: 1000 });
    expect(new Set(rows.map(({ subject }) => subject)).size).toBe(rows.length);
  });
});
