import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toTimestamp } from '../../src/platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/platform/hours.ts';
import { minorOf } from '../../src/platform/money.ts';
import { GRANULARITIES } from '../../src/sales/delivery/granularity.ts';
import { recordDelivery } from '../sales/support/record-delivery.ts';
import { deliveryRow } from '../../src/tasks/get-media-buy-delivery/row.ts';
import type { Delivered, DeliveryRow } from '../../src/tasks/get-media-buy-delivery/schema.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { mediaBuyId } from '../support/ids.ts';
import { makeBuy, refusal, result, STRANGER } from './support/calls.ts';
import type { Json } from './support/calls.ts';

let agent: TestAgent;
beforeAll(async () => {
  agent = await startTestAgent('sqlite');
});
afterAll(() => agent.stop());

const FIRST = Date.parse('2026-04-01T00:00:00Z');
const deliveryOf = (input: Json) => result(agent, 'get_media_buy_delivery', input);

/** A buy whose packages delivered something in each of these hours after {@link FIRST}. */
async function delivered(hours: readonly number[]) {
  const buy = await makeBuy(agent);
  const facts = hours.flatMap((hour) =>
    buy.packages.map(({ package_id }, i) => ({
      package_id: String(package_id),
      hour: toTimestamp(FIRST + hour * HOUR_MS),
      impressions: 100 + hour + i,
      spend_minor: 7 + hour,
      clicks: i,
    })),
  );
  await recordDelivery(
    agent.core.sales.facts,
    mediaBuyId(buy.media_buy_id),
    { hours: facts, corrections: [] },
    toTimestamp(0),
  );
  return { ...buy, facts };
}

function total(parts: readonly Delivered[], currency = 'USD') {
  return {
    impressions: parts.reduce((sum, part) => sum + part.impressions, 0),
    clicks: parts.reduce((sum, part) => sum + part.clicks, 0),
    minor: parts.reduce((sum, part) => sum + minorOf(part.spend, currency), 0),
  };
}

describe('get_media_buy_delivery', () => {
  it.each(GRANULARITIES)(
    '[B10] [C.tasks.delivery] answers delivery, by_package and a %s timeseries that add up',
    async (granularity) => {
      const { media_buy_id, facts } = await delivered([0, 1, 23, 24, 30 * 24 + 5]);
      const date_range = { start: '2026-04-01', end: '2026-06-01' };
      const row = (await deliveryOf({ media_buy_id, granularity, date_range })) as unknown as DeliveryRow;
      const expected = {
        impressions: facts.reduce((sum, fact) => sum + fact.impressions, 0),
        clicks: facts.reduce((sum, fact) => sum + fact.clicks, 0),
        minor: facts.reduce((sum, fact) => sum + fact.spend_minor, 0),
      };
      expect(total([row.delivery])).toEqual(expected);
      expect(total(row.by_package)).toEqual(expected);
      expect(total(row.timeseries)).toEqual(expected);
      expect(row.timeseries).toHaveLength({ hourly: 61 * 24, daily: 61, monthly: 2 }[granularity]);
      expect(row.granularity).toBe(granularity);
    },
  );

  it('[B10] the range holds its start and not its end, on whole days and within one', async () => {
    const { media_buy_id } = await delivered([5, 6, 7, 24, 29]);
    const impressions = async (start: string, end: string) => {
      const row = await deliveryOf({ media_buy_id, date_range: { start, end } });
      return (row['delivery'] as Delivered).impressions;
    };
    const both = (hour: number) => 201 + 2 * hour;
    expect(await impressions('2026-04-01T05:00:00Z', '2026-04-01T07:00:00Z')).toBe(both(5) + both(6));
    expect(await impressions('2026-04-01T06:00:00Z', '2026-04-02T05:00:00Z')).toBe(both(6) + both(7) + both(24));
    expect(await impressions('2026-04-01', '2026-04-02')).toBe(both(5) + both(6) + both(7));
    expect(await impressions('2026-04-01T08:00:00+02:00', '2026-04-01T09:00:00+02:00')).toBe(both(6));
  });

  it('[B10] granularity and time_granularity are one field, and others answer what is supported', async () => {
    const { media_buy_id } = await delivered([0]);
    expect(await deliveryOf({ media_buy_id, time_granularity: 'hourly' })).toMatchObject({ granularity: 'hourly' });
    for (const field of ['granularity', 'time_granularity']) {
      expect(await refusal(agent, 'get_media_buy_delivery', { media_buy_id, [field]: 'weekly' })).toMatchObject({
        code: 'UNSUPPORTED_GRANULARITY',
        field,
        details: { supported: ['hourly', 'daily', 'monthly'] },
      });
    }
    const two = { media_buy_id, granularity: 'daily', time_granularity: 'hourly' };
    expect(await refusal(agent, 'get_media_buy_delivery', two)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('[B10] several buys also give aggregated_totals, their exact sum', async () => {
    const one = await delivered([0, 1]);
    const other = await delivered([2]);
    const date_range = { start: '2026-04-01', end: '2026-04-02' };
    const answer = await deliveryOf({ media_buy_ids: [one.media_buy_id, other.media_buy_id], date_range });
    const rows = answer['media_buy_deliveries'] as DeliveryRow[];
    expect(rows.map(({ media_buy_id }) => media_buy_id)).toEqual([one.media_buy_id, other.media_buy_id]);
    const sum = total(rows.map(({ delivery }) => delivery));
    const totals = answer['aggregated_totals'] as Delivered & { currency: string; media_buy_count: number };
    expect(totals).toMatchObject({ media_buy_count: 2, currency: 'USD', impressions: sum.impressions });
    expect(minorOf(totals.spend, 'USD')).toBe(sum.minor);
    expect(await deliveryOf({ media_buy_id: one.media_buy_id })).not.toHaveProperty('aggregated_totals');
  });

  it('[B13] [T5] names unknown buys by their place; another’s buy is unknown', async () => {
    const { media_buy_id } = await makeBuy(agent);
    const notFound = (input: Json, field: string, caller?: typeof STRANGER) =>
      refusal(agent, 'get_media_buy_delivery', input, caller).then((error) => {
        expect(error).toMatchObject({ code: 'MEDIA_BUY_NOT_FOUND', field });
      });
    await notFound({ media_buy_id: 'x' }, 'media_buy_id');
    await notFound({ media_buy_id: [media_buy_id, 'x'] }, 'media_buy_id[1]');
    await notFound({ media_buy_ids: ['x'] }, 'media_buy_ids[0]');
    await notFound({ media_buy_id }, 'media_buy_id', STRANGER);
    expect(await refusal(agent, 'get_media_buy_delivery', {})).toMatchObject({ field: 'media_buy_id' });
  });

  it.each([
    [{ start: '2026-04-02', end: '2026-04-02' }, 'date_range.end'],
    [{ start: '2026-04-01T00:30:00Z' }, 'date_range.start'],
    [{ start: '2026-04-01T00:00:00' }, 'date_range.start'],
    [{ start: '1990-01-01', end: '2026-01-01' }, 'date_range.end'],
  ])('[B10] refuses the range %j at %s', async (date_range, field) => {
    const { media_buy_id } = await makeBuy(agent);
    expect(await refusal(agent, 'get_media_buy_delivery', { media_buy_id, date_range })).toMatchObject({ field });
  });
});

it('[B10] totals, packages and timeseries add up for any facts and granularity, each step of what begins in it', () => {
  const fact = fc.record({
    package_id: fc.constantFrom('pkg_1', 'pkg_2'),
    fromMs: fc.integer({ min: 0, max: 24 * 70 - 1 }).map((hour) => FIRST + hour * HOUR_MS),
    impressions: fc.integer({ min: 0, max: 10_000_000 }),
    spend_minor: fc.integer({ min: 0, max: 100_000_000 }),
    clicks: fc.integer({ min: 0, max: 10_000 }),
  });
  const anyFacts = fc.array(fact, { maxLength: 200 }).map((facts) => facts.sort((a, b) => a.fromMs - b.fromMs));
  fc.assert(
    fc.property(anyFacts, fc.constantFrom(...GRANULARITIES), (facts, granularity) => {
      const range = { fromMs: FIRST, untilMs: FIRST + 70 * DAY_MS };
      const given = { range, granularity, facts, corrections: [], isDelayed: false };
      const { row } = deliveryRow(sampleMediaBuy(), given);
      expect(total(row.by_package)).toEqual(total([row.delivery]));
      expect(total(row.timeseries)).toEqual(total([row.delivery]));
      const firsts = row.timeseries.map(({ start }) => Date.parse(start));
      expect(row.timeseries.map(({ impressions }) => impressions)).toEqual(
        firsts.map((fromMs, i) => {
          const untilMs = firsts[i + 1] ?? range.untilMs;
          const mine = facts.filter((one) => one.fromMs >= fromMs && one.fromMs < untilMs);
          return mine.reduce((sum, { impressions }) => sum + impressions, 0);
        }),
      );
      expect(total([row.delivery]).minor).toBe(facts.reduce((sum, { spend_minor }) => sum + spend_minor, 0));
    }),
    { numRuns: 60 },
  );
});
