import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createFlightClock } from '../../../src/sales/flight/flight-clock.ts';
import { createSimulator } from './first/simulator.ts';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import type { AdServer } from '../../../src/sales/ad-server/ad-server.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { ceilHour, DAY_MS, floorHour, HOUR_MS } from '../../../src/platform/hours.ts';
import { FirstBook, inFirstWords } from './support/first-book.ts';
import type { Counted } from './support/first-book.ts';
import { openSimulator } from './support/open-simulator.ts';
import type { OpenSimulator } from './support/open-simulator.ts';
import { changed, sampleAdOrder, sampleLine } from './support/sample-ad-order.ts';

let open: OpenSimulator;
afterEach(() => open.close());

/** What statements say of an order, asked as a book asks that keeps a day open for what is counted anew. */
class Book {
  readonly hours: Counted = new Map();
  completeMs: number;
  readonly #server: AdServer;
  constructor(server: AdServer, fromMs: number) {
    this.#server = server;
    this.completeMs = floorHour(fromMs);
  }
  async look(nowMs: number): Promise<void> {
    const from = toTimestamp(this.completeMs - DAY_MS);
    let cursor: string | undefined;
    do {
      const query = {
        media_buy_ids: ['mb_1'],
        from,
        until: toTimestamp(nowMs),
        ...(cursor !== undefined && { cursor }),
      };
      const statement = await this.#server.statements(query);
      for (const { package_id, hour, counts, spend_minor = 0 } of statement.rows) {
        const { impressions, clicks } = counts;
        this.hours.set(`${hour}/${package_id}`, { impressions, clicks, spend_minor });
      }
      if (typeof statement.complete_until !== 'string') throw new Error('one order has one instant');
      if (statement.cursor === undefined) this.completeMs = Date.parse(statement.complete_until);
      cursor = statement.cursor;
    } while (cursor !== undefined);
  }
}

/** Whole numbers from 0 to below a bound, the same at every run. */
function chances(seed: number): (below: number) => number {
  let drawn = 0;
  return (below) => {
    const bytes = createHash('sha256').update(`${seed}/${drawn}`).digest();
    drawn += 1;
    return bytes.readUIntBE(0, 6) % below;
  };
}

/** A change that a buyer, the review or the clock makes. */
function anyChange(order: AdOrder, draw: (below: number) => number): Partial<AdOrder> {
  const at = draw(order.lines.length);
  const touch = (change: (line: AdOrder['lines'][number]) => Partial<AdOrder['lines'][number]>) => ({
    lines: order.lines.map((line, i) => (i === at ? { ...line, ...change(line) } : line)),
  });
  switch (draw(6)) {
    case 0:
      return { state: draw(3) === 0 ? 'paused' : 'running' };
    case 1:
      return touch(() => ({ state: draw(3) === 0 ? 'paused' : 'running' }));
    case 2:
      return touch((line) => ({ budget_minor: Math.floor((line.budget_minor * (60 + draw(80))) / 100) }));
    case 3:
      return touch((line) => ({ pricing: { ...line.pricing, rate_minor: 300 + draw(900) } }));
    case 4:
      return touch((line) => ({ creatives: line.creatives.length > 0 ? [] : [{ creative_id: 'c2', version: 1 }] }));
    default:
      return { end: toTimestamp(Date.parse(order.end) + (draw(5) - 2) * HOUR_MS) };
  }
}

const LINES = [
  sampleLine({ budget_minor: 1_234_567, pricing: { model: 'cpm-auction', rate_minor: 333 } }),
  sampleLine({
    package_id: 'pkg_2',
    product_id: 'ctv',
    budget_minor: 4_000_000,
    pricing: { model: 'cpm', rate_minor: 2900 },
  }),
  sampleLine({
    package_id: 'pkg_3',
    product_id: 'studio',
    budget_minor: 6_500_000,
    pricing: { model: 'flat-fee', rate_minor: 6_500_000 },
  }),
];

describe('the simulated ad server beside that of 0.1.0', () => {
  it.each([
    { name: 'a month', seed: 1, speed: 1 },
    { name: 'a month sim-correct', seed: 2, speed: 1 },
    { name: 'a month sim-delay', seed: 3, speed: 1 },
    { name: 'a month sim-delay sim-correct', seed: 4, speed: 1 },
    { name: 'a month sim-correct', seed: 5, speed: 600 },
    { name: 'a month', seed: 6, speed: 43_200 },
  ])(
    'delivers the same, hour by hour and to the cent: $name at $speed, whatever is changed',
    async ({ name, seed, speed }) => {
      open = await openSimulator('sqlite', { clockSpeed: speed });
      const { simulator, clock, store } = open;
      const flightClock = createFlightClock(clock, speed);
      const first = createSimulator({ store, clock, flightClock });
      const draw = chances(seed);
      const startMs = clock.nowMs + 2 * DAY_MS + 123_456;
      const dates = { start: toTimestamp(startMs), end: toTimestamp(startMs + 30 * DAY_MS) };
      let order = sampleAdOrder({ name, ...dates, state: 'held', lines: LINES.map((line) => ({ ...line, ...dates })) });
      const nowMs = () => flightClock.now(order);
      const [book, firstBook] = [new Book(simulator, clock.nowMs), new FirstBook(first, clock.nowMs)];
      await first.reserve(inFirstWords(order));
      await simulator.put(order);
      const put = async (changes: Partial<AdOrder>) => {
        const lines = (changes.lines ?? order.lines).map((line) => ({ ...line, end: changes.end ?? line.end }));
        const next = changed(order, { ...changes, lines });
        const answer = await simulator.put(next);
        if (answer.outcome === 'done') expect(await first.apply(inFirstWords(next))).toEqual({ applied: true });
        // Refused as a whole, it has used its number up.
        order = answer.outcome === 'done' ? next : changed(order, { ...order, version: next.version });
        return answer.outcome;
      };
      expect(await put({ state: 'running' })).toBe('done');
      while (nowMs() < Date.parse(order.end)) {
        clock.nowMs += Math.ceil((draw(9) * HOUR_MS + draw(HOUR_MS)) / speed);
        if (draw(3) === 0) await put(anyChange(order, draw));
        if (draw(2) === 0) {
          await book.look(nowMs());
          await firstBook.look(nowMs());
        }
      }
      expect(await put({ state: 'ended' })).toBe('done');
      for (let day = 0; day < 3; day += 1) {
        clock.nowMs += Math.ceil(DAY_MS / speed);
        await book.look(ceilHour(nowMs()));
        await firstBook.look(ceilHour(nowMs()));
      }
      expect(firstBook.hours.size).toBeGreaterThan(200);
      const inOrder = (hours: Counted) => [...hours].sort(([a], [b]) => (a < b ? -1 : 1));
      expect(inOrder(book.hours)).toEqual(inOrder(firstBook.hours));
      // Whoever asks for all of it in the end is told the same.
      const whole = new Book(simulator, Date.parse(order.created_at));
      await whole.look(nowMs());
      expect(inOrder(whole.hours)).toEqual(inOrder(firstBook.hours));
    },
  );
});
