import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { agents } from '../../src/directory/agent/agent.ts';
import type { Agent } from '../../src/directory/agent/agent.ts';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import { feedMark, feedMarks } from '../../src/directory/feed/feed-mark.ts';
import { forgetOldEvents } from '../../src/directory/feed/forget-old-events.ts';
import { publishState } from '../../src/directory/feed/publish.ts';
import type { FeedDeps } from '../../src/directory/feed/publish.ts';
import { toTimestamp } from '../../src/platform/clock.ts';
import type { Store } from '../../src/platform/store/collection.ts';
import { CursorExpired } from '../../src/registry/feed/schema.ts';
import { eventStream } from '../../src/registry/feed/stream.ts';
import { organizationId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

interface Event {
  id: string;
  type: string;
  subject: string;
  publisher: string | null;
  state: Record<string, unknown> | null;
}
interface Page {
  events: Event[];
  has_more: boolean;
  cursor: string;
  next_page: string | null;
}
interface Answer {
  status: number;
  body: { field?: string };
}
type State = Record<string, string>;

const DAY_MS = 86_400_000;
const FOREVER = { days: 36_500, events: 999_999_999 };

describeOnStores('[C.endpoints.feed] what the feed keeps, on %s', (kind) => {
  let at: Registry;
  let deps: FeedDeps;
  beforeAll(async () => {
    at = await startRegistry(kind);
    const changeSignal = {
      publish: () => Promise.resolve(),
      subscribe: () => Promise.resolve(() => undefined),
      close: () => Promise.resolve(),
    };
    deps = { ...at, changeSignal };
  });
  afterAll(() => at.close());

  const ask = (path: string) => at.get(`/api/registry/feed${path}`);
  const page = async (path: string) => {
    const answer = await ask(path);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Page;
  };
  /** Of an agent of this name: what is public of it is changed and told; null takes it away. */
  const tell = async (agent_id: string, name: string | null) => {
    const rows = at.store.collection(agents);
    const now = toTimestamp(at.clock.now());
    const row: Agent = {
      ...{ agent_id, url: `https://${agent_id}.example`, organization_id: organizationId('o'), name: name ?? '' },
      ...{ type: 'sales', visibility: 'public', created_at: now, updated_at: now, revision: 1 },
    };
    if (name === null) await rows.delete(agent_id);
    else if (!(await rows.insert(row)).inserted) await rows.update(agent_id, (known) => ({ ...known, name }));
    await publishState(deps, { kind: 'agent', key: agent_id });
  };
  const put = (state: State, { subject, state: now }: Event) => {
    if (now === null) Reflect.deleteProperty(state, subject);
    else state[subject] = String(now['name']);
  };
  /** The store of a process that dies when it comes to do this to an event. */
  const diesAt = (what: 'update' | 'delete'): Store => ({
    ...at.store,
    collection: (spec) => {
      const all = at.store.collection(spec);
      return spec.name === feedEvents.name ? { ...all, [what]: () => Promise.reject(new Error('killed here')) } : all;
    },
  });
  const end = async () => (await page('?limit=1000')).cursor;

  it('folds from the snapshot on to the present state, whatever changes and is forgotten while somebody pages', async () => {
    const change = fc.record({ agent: fc.nat({ max: 5 }), name: fc.option(fc.constantFrom('A', 'B', 'C')) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 20 }),
        fc.array(fc.oneof(change, fc.constant('page' as const), fc.constant('forget' as const)), { maxLength: 40 }),
        async (before, meanwhile) => {
          const prefix = randomUUID();
          const told = ({ agent, name }: { agent: number; name: string | null }) => tell(`${prefix}-${agent}`, name);
          for (const one of before) await told(one);
          const seen: State = {};
          const paging: { next?: string | null; cursor: string } = { cursor: '' };
          const turn = async () => {
            if (paging.next === null) return;
            const got = await page(`/snapshot?limit=3${paging.next === undefined ? '' : `&page=${paging.next}`}`);
            for (const event of got.events) put(seen, event);
            paging.next = got.next_page;
            paging.cursor = got.cursor;
          };
          for (const step of meanwhile) {
            // Two at once, as two processes have them.
            if (step === 'page') await Promise.all([turn(), told({ agent: 0, name: 'D' })]);
            else if (step === 'forget') await forgetOldEvents(at, { days: 36_500, events: 60 });
            else await told(step);
          }
          while (paging.next !== null) await turn();
          let { cursor } = paging;
          for (let more = true; more;) {
            const got = await page(`?limit=7&cursor=${cursor}`);
            for (const event of got.events) put(seen, event);
            ({ cursor, has_more: more } = got);
          }
          const { rows } = await at.store.collection(agents).find({ where: { organization_id: 'o' }, limit: 1000 });
          const present = rows.map(({ agent_id, name }) => [`agent/${agent_id}`, name]);
          expect(seen).toEqual(Object.fromEntries(present));
        },
      ),
      { numRuns: 6, seed: 17, endOnFailure: true },
    );
  });

  it('loses no removal where a process died before it marked what that overtakes', async () => {
    const id = randomUUID();
    const of = async (path: string) => (await page(path)).events.filter(({ subject }) => subject === `agent/${id}`);
    await tell(id, 'One');
    await at.store.collection(agents).delete(id);
    const dead = publishState({ ...deps, store: diesAt('update') }, { kind: 'agent', key: id });
    await expect(dead).rejects.toThrow('killed here');
    const both = [{ type: 'agent.added' }, { type: 'agent.removed', state: null }];
    expect(await of('/snapshot')).toMatchObject(both);
    await tell(randomUUID(), 'Last');
    await forgetOldEvents(at, { days: 36_500, events: 1 });
    // Who has the first page of a snapshot has the agent: its removal is on a later one.
    expect(await of('/snapshot')).toMatchObject(both);
    await tell(id, 'Two');
    expect(await of('/snapshot')).toMatchObject([{ type: 'agent.added', state: { name: 'Two' } }]);
  });

  it('loses no removal where a sweep died between deleting and noting it, however often', async () => {
    const id = randomUUID();
    const of = async (path: string) => (await page(path)).events.filter(({ subject }) => subject === `agent/${id}`);
    await tell(id, 'One');
    await at.store.collection(agents).delete(id);
    const dead = publishState({ ...deps, store: diesAt('update') }, { kind: 'agent', key: id });
    await expect(dead).rejects.toThrow('killed here');
    await tell(randomUUID(), 'Last');
    for (let time = 0; time < 3; time++) {
      let met = 0;
      const dying: Store = {
        ...at.store,
        collection: (spec) => {
          const all = at.store.collection(spec);
          if (spec.name !== feedMarks.name) return all;
          const die = () => Promise.reject(new Error('killed here'));
          // The first raises what is kept, the second notes how far it came.
          return { ...all, update: (...given) => (++met > 1 ? die() : all.update(...given)) };
        },
      };
      await forgetOldEvents({ ...at, store: dying }, { days: 36_500, events: 1 }).catch(() => undefined);
    }
    await forgetOldEvents(at, { days: 36_500, events: 1 });
    expect((await of('/snapshot')).at(-1)).toMatchObject({ type: 'agent.removed', state: null });
  });

  it('forgets by count and by age, but not what stands, nor the last event of all', async () => {
    const [kept, gone, last] = [randomUUID(), randomUUID(), randomUUID()];
    await tell(kept, 'Old');
    await tell(gone, 'Old');
    await tell(gone, null);
    const from = await end();
    await forgetOldEvents(at, { days: 1, events: 1 });
    expect((await feedMark(at.store)).kept_after).toBe(Number(from) - 1);
    at.clock.advance(2 * DAY_MS);
    await tell(last, 'New');
    await forgetOldEvents(at, { days: 1, events: 999_999 });
    const { mark_id: _, revision: __, ...mark } = (await at.store.collection(feedMarks).get('feed')) ?? {};
    expect(mark).toEqual({ kept_after: Number(from), swept_to: Number(from) });
    const { rows } = await at.store.collection(feedEvents).find({ where: { sequence: { gt: 0 } }, limit: 1000 });
    const subjects = rows.map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject === `agent/${kept}`)).toHaveLength(1);
    expect(subjects).not.toContain(`agent/${gone}`);
    at.clock.advance(9 * DAY_MS);
    await forgetOldEvents(at, { days: 1, events: 1 });
    await tell(kept, 'Newer');
    await tell(gone, 'Back');
    expect((await page(`?cursor=${Number(from) + 1}`)).events).toMatchObject([
      { type: 'agent.changed', subject: `agent/${kept}`, id: String(Number(from) + 2) },
      { type: 'agent.added', subject: `agent/${gone}` },
    ]);
  });

  it('does again what a process that died while it forgot left undone', async () => {
    const id = randomUUID();
    await tell(id, 'One');
    await tell(id, null);
    await tell(randomUUID(), 'Last');
    const dying = diesAt('delete');
    await expect(forgetOldEvents({ ...at, store: dying }, { days: 36_500, events: 1 })).rejects.toThrow('killed here');
    expect((await ask('?cursor=0')).status).toBe(410);
    await forgetOldEvents(at, { days: 36_500, events: 1 });
    const { rows } = await at.store.collection(feedEvents).find({ where: { subject: `agent/${id}` } });
    expect(rows).toEqual([]);
  });

  it('answers 410 and where to begin to a cursor of what is forgotten, and to one of the future', async () => {
    await tell(randomUUID(), 'A');
    await tell(randomUUID(), 'B');
    await forgetOldEvents(at, { days: 36_500, events: 1 });
    const { kept_after } = await feedMark(at.store);
    const last = await end();
    for (const cursor of [String(kept_after - 1), '0', String(Number(last) + 1), '999999999'])
      for (const path of [`?cursor=${cursor}`, `/stream?cursor=${cursor}`]) {
        const { status, body } = (await ask(path)) as Answer;
        expect([path, status, body]).toMatchObject([
          path,
          410,
          {
            ...{ code: 'CURSOR_EXPIRED', field: 'cursor', snapshot: '/api/registry/feed/snapshot' },
            oldest_cursor: String(kept_after),
          },
        ]);
      }
    expect((await ask('/stream').set('Last-Event-ID', '999999999')).status).toBe(410);
    expect((await ask('/stream').set('Last-Event-ID', 'x')).body).toMatchObject({ field: 'Last-Event-ID' });
    const late = (await ask(`/snapshot?page=${kept_after - 1}.0`)) as Answer;
    expect([late.status, late.body]).toMatchObject([410, { code: 'CURSOR_EXPIRED', field: 'page' }]);
    for (const { body } of [late, (await ask('?cursor=0')) as Answer])
      expect(z.strictObject(CursorExpired.shape).parse(body)).toEqual(body);
    expect((await ask(`/snapshot?page=999999999.0`)).status).toBe(410);
    const behind = eventStream(deps, kept_after - 1, {}, new AbortController().signal);
    await behind.next();
    expect(await behind.next()).toEqual({ done: true, value: undefined });
    // Who names no place gets what there is.
    expect((await page('')).events[0]).toMatchObject({ id: String(kept_after + 1) });
    expect((await page(`?cursor=${last}`)).events).toEqual([]);
    await forgetOldEvents(at, FOREVER);
  });

  it('tells only the types and the publisher that are asked for, and goes on behind what it left out', async () => {
    const from = await end();
    const [one, other] = [randomUUID(), randomUUID()];
    await tell(one, 'A');
    await tell(one, 'B');
    await tell(other, 'A');
    await tell(one, null);
    const types = async (query: string) => {
      const { events, cursor, has_more } = await page(`?cursor=${from}&${query}`);
      expect(has_more || cursor === String(Number(from) + 4)).toBe(true);
      return events.map(({ type }) => type);
    };
    expect(await types('types=agent.changed')).toEqual(['agent.changed']);
    expect(await types('types=agent.removed,agent.added')).toEqual(['agent.added', 'agent.added', 'agent.removed']);
    expect(await types('types=badge.added')).toEqual([]);
    const stream = eventStream(deps, Number(from), { types: ['agent.changed'] }, new AbortController().signal);
    await stream.next();
    expect((await stream.next()).value).toMatch(`id: ${Number(from) + 2}\nevent: agent.changed\n`);
    await stream.return(undefined);
    expect(await types('publisher=nobody.example')).toEqual([]);
    expect(await types('types=agent.added&limit=1')).toEqual(['agent.added']);
    for (const [query, field] of [
      ['types=agent.added,agent.born', 'types'],
      ['types=', 'types'],
      ['publisher=no%20domain', 'publisher'],
      ['kind=agent', 'kind'],
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
    ] as const) {
      const { status, body } = (await ask(`?${query}`)) as Answer;
      expect([query, status, body.field]).toEqual([query, 400, field]);
    }
  });
});
