import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { feedEvents } from '../../src/directory/feed/feed-event.ts';
import type { FeedEvent } from '../../src/directory/feed/feed-event.ts';
import { raiseFeedMark } from '../../src/directory/feed/feed-mark.ts';
import { endOfFeed } from '../../src/directory/feed/read-events.ts';
import { keptPages } from '../../src/registry/feed/kept-pages.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { startRegistry } from './support/registry.ts';
import type { Registry } from './support/registry.ts';

interface Page {
  events: { id: string; subject: string }[];
  has_more: boolean;
  cursor: string;
}

const eventOf = (sequence: number, subject = `publisher/p${sequence}.example`): FeedEvent => ({
  ...{ event_id: String(sequence).padStart(16, '0'), sequence, kind: 'publisher', subject, change: 'added' },
  ...{ state_json: '{"domain":"p.example"}', type: 'publisher.added', publisher_domain: 'p.example' },
  ...{ occurred_at: '2026-11-28T00:00:00.000Z', revision: 1 },
});

describeOnStores('[R16.feed] pages of the feed that are asked for again, on %s', (kind) => {
  let at: Registry;
  let first: number;
  let reads = 0;
  beforeAll(async () => {
    at = await startRegistry(kind, {
      wrapStore: (plain) => ({
        ...plain,
        collection: ((spec: { name: string }) => {
          const rows = plain.collection(spec as typeof feedEvents);
          if (spec.name !== feedEvents.name) return rows;
          return { ...rows, find: (query: Parameters<typeof rows.find>[0]) => (reads++, rows.find(query)) };
        }) as typeof plain.collection,
      }),
    });
    first = (await endOfFeed(at.store)) + 1;
    await at.store.collection(feedEvents).insertMany(Array.from({ length: 60 }, (_, n) => eventOf(first + n)));
  });
  afterAll(() => at.close());
  beforeEach(() => {
    reads = 0;
  });

  const ask = (cursor: number, limit: number) => at.get(`/api/registry/feed?cursor=${cursor}&limit=${limit}`);
  const page = async (cursor: number, limit: number) => (await ask(cursor, limit).expect(200)).body as Page;

  /** Asks until the page comes as it is kept. */
  async function kept(cursor: number, limit: number) {
    let answer = await ask(cursor, limit);
    await until(async () => {
      answer = await ask(cursor, limit);
      return answer.headers['content-encoding'] === 'gzip';
    });
    return answer;
  }

  it('are the same, in gzip for whoever takes it, and read no events', async () => {
    const place = first + 9;
    const once = await ask(place, 10);
    expect(once.headers).toMatchObject({ vary: 'Authorization, Accept-Encoding' });
    expect(once.headers['content-encoding']).toBeUndefined();
    const again = await kept(place, 10);
    expect([again.status, again.text, again.headers['vary']]).toEqual([200, once.text, once.headers['vary']]);
    reads = 0;
    const plain = await ask(place, 10).set('Accept-Encoding', 'identity');
    expect([plain.headers['content-encoding'], plain.text, reads]).toEqual([undefined, once.text, 0]);
    const known = await ask(place, 10).set('If-None-Match', again.headers['etag'] ?? '');
    expect([known.status, reads]).toEqual([304, 0]);
    // By a filter, or where nothing more has come yet, they are read each time.
    for (const [from, more] of [
      [place, '&types=publisher.added'],
      [first + 55, ''],
    ] as const) {
      reads = 0;
      for (let n = 0; n < 4; n++) {
        const answer = await at.get(`/api/registry/feed?cursor=${from}&limit=10${more}`);
        expect(answer.headers['content-encoding']).toBeUndefined();
      }
      expect(reads).toBeGreaterThanOrEqual(4);
    }
  });

  it('are one page from wherever one comes, and nobody is told anything twice or not at all', async () => {
    const all = Array.from({ length: 60 }, (_, n) => String(first + n));
    await fc.assert(
      fc.asyncProperty(fc.nat(59), fc.integer({ min: 1, max: 20 }), async (skip, limit) => {
        const told: string[] = [];
        let place = first - 1 + skip;
        for (let hasMore = true; hasMore;) {
          const { events, has_more, cursor } = await page(place, limit);
          expect(events.length).toBeLessThanOrEqual(limit);
          expect(events.length).toBeGreaterThan(0);
          expect(cursor).toBe(events.at(-1)?.id);
          if (has_more) expect(Number(cursor) % limit).toBe(0);
          told.push(...events.map(({ id }) => id));
          place = Number(cursor);
          hasMore = has_more;
        }
        expect(told).toEqual(all.slice(skip));
      }),
      { numRuns: 20 },
    );
  });

  it('are read anew where the store has another event by then, and gone with what is forgotten', async () => {
    const place = first + 19;
    const limit = 7;
    const [before] = await Promise.all([kept(place, limit)]);
    const { events, cursor } = before.body as Page;
    const rows = at.store.collection(feedEvents);
    await rows.delete(eventOf(Number(cursor)).event_id);
    await rows.insert(eventOf(Number(cursor), 'publisher/another.example'));
    const after = await page(place, limit);
    expect(after.events.at(-1)?.subject).toBe('publisher/another.example');
    expect(after.events.slice(0, -1)).toEqual(events.slice(0, -1));
    await kept(place, limit);
    await raiseFeedMark(at.store, { kept_after: place + 1 });
    expect((await ask(place, limit)).status).toBe(410);
  });

  it('are as many as there is room for, those that were used last', async () => {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: 200 }, () => Math.random())));
    const pages = keptPages(at.store, 40_000);
    const last = eventOf(first + 40);
    const from = first + 100;
    for (let place = 0; place < 40; place++) {
      for (let n = 0; n < 2; n++) pages.made(from + place, 1, { bytes, last });
      await pages.idle();
      expect(await pages.find(from, 1)).toBeDefined();
    }
    expect(await pages.find(from + 1, 1)).toBeUndefined();
    expect(await pages.find(from + 39, 1)).toBeDefined();
    const large = Buffer.from(JSON.stringify(Array.from({ length: 1_000 }, () => Math.random())));
    for (let n = 0; n < 2; n++) pages.made(from, 2, { bytes: large, last });
    await pages.idle();
    expect(await pages.find(from, 2)).toBeUndefined();
  });
});
