import { toTimestamp } from '../../platform/clock.ts';
import type { Collection, Row } from '../../platform/store/collection.ts';
import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { dayKey, monthKey } from './delivery-facts.ts';
import type { Correction, DeliveryFacts } from './delivery-facts.ts';
import { measuresIn, sumMeasures } from './measure.ts';
import type { Measure } from './measure.ts';

/** What one package delivered in one hour or on one day. */
export interface Fact extends Measure {
  package_id: string;
  /** The hour's or day's first instant, in milliseconds. */
  fromMs: number;
}

/**
 * What a buy's packages delivered from an hour to another (milliseconds, both on the hour, the second not included): by the
 * hour, or by the day, in the order of time. Hours and days without delivery are left out.
 */
export async function readDelivery(
  facts: DeliveryFacts,
  media_buy_id: MediaBuyId,
  range: { fromMs: number; untilMs: number },
  by: 'hour' | 'day',
): Promise<Fact[]> {
  if (range.fromMs >= range.untilMs) return [];
  const found = by === 'hour' ? await hoursOf(facts, media_buy_id, range) : await daysOf(facts, media_buy_id, range);
  return inOrder(found);
}

/** The facts in the order of time; of many facts at few instants, quicker than a sort. */
function inOrder(facts: readonly Fact[]): Fact[] {
  const byInstant = new Map<number, Fact[]>();
  for (const fact of facts) {
    const same = byInstant.get(fact.fromMs);
    if (same === undefined) byInstant.set(fact.fromMs, [fact]);
    else same.push(fact);
  }
  return [...byInstant.keys()].sort((a, b) => a - b).flatMap((instant) => byInstant.get(instant) ?? []);
}

interface Range {
  fromMs: number;
  untilMs: number;
}

async function hoursOf({ days }: DeliveryFacts, media_buy_id: MediaBuyId, range: Range): Promise<Fact[]> {
  const keys = daysIn(range).map((ms) => dayKey(media_buy_id, dayText(ms)));
  const rows = await getAll(days, keys);
  return rows.flatMap(({ day, hours }) =>
    Object.entries(hours).flatMap(([package_id, slots]) =>
      measuresIn(slots).flatMap(({ slot, ...measure }): Fact[] => {
        const fromMs = Date.parse(day) + slot * HOUR_MS;
        return isIn(fromMs, range) ? [{ package_id, fromMs, ...measure }] : [];
      }),
    ),
  );
}

/** Whole days from the months' sums; the days that the range cuts, from their hours. */
async function daysOf(facts: DeliveryFacts, media_buy_id: MediaBuyId, range: Range): Promise<Fact[]> {
  const wholeFromMs = Math.ceil(range.fromMs / DAY_MS) * DAY_MS;
  const wholeUntilMs = Math.floor(range.untilMs / DAY_MS) * DAY_MS;
  if (wholeFromMs > wholeUntilMs) return byDay(await hoursOf(facts, media_buy_id, range));
  const [head, middle, tail] = await Promise.all([
    cutDay(facts, media_buy_id, { fromMs: range.fromMs, untilMs: wholeFromMs }),
    wholeDays(facts, media_buy_id, { fromMs: wholeFromMs, untilMs: wholeUntilMs }),
    cutDay(facts, media_buy_id, { fromMs: wholeUntilMs, untilMs: range.untilMs }),
  ]);
  return [...head, ...middle, ...tail];
}

async function cutDay(facts: DeliveryFacts, media_buy_id: MediaBuyId, range: Range): Promise<Fact[]> {
  return range.fromMs < range.untilMs ? byDay(await hoursOf(facts, media_buy_id, range)) : [];
}

function byDay(hours: readonly Fact[]): Fact[] {
  const days = new Map<string, Fact[]>();
  for (const fact of hours) {
    const key = `${fact.package_id}/${dayText(fact.fromMs)}`;
    days.set(key, [...(days.get(key) ?? []), fact]);
  }
  return [...days.values()].map((facts) => ({
    package_id: facts[0]?.package_id ?? '',
    fromMs: Math.floor((facts[0]?.fromMs ?? 0) / DAY_MS) * DAY_MS,
    ...sumMeasures(facts),
  }));
}

async function wholeDays({ months }: DeliveryFacts, media_buy_id: MediaBuyId, range: Range): Promise<Fact[]> {
  if (range.fromMs >= range.untilMs) return [];
  const rows = await getAll(
    months,
    monthsIn(range).map((month) => monthKey(media_buy_id, month)),
  );
  const kept: Fact[] = [];
  for (const { month, days } of rows) {
    const monthMs = Date.parse(`${month}-01`);
    for (const [package_id, slots] of Object.entries(days)) {
      for (const { slot, impressions, spend_minor, clicks } of measuresIn(slots)) {
        const fromMs = monthMs + (slot - 1) * DAY_MS;
        if (isIn(fromMs, range)) kept.push({ package_id, fromMs, impressions, spend_minor, clicks });
      }
    }
  }
  return kept;
}

/** The corrections made to hours of a range, in the order of the hours. */
export async function readCorrections(
  { days }: DeliveryFacts,
  media_buy_id: MediaBuyId,
  { fromMs, untilMs }: Range,
): Promise<Correction[]> {
  const corrections: Correction[] = [];
  let after: string | undefined;
  do {
    const page = await days.find({
      where: { media_buy_id, corrected_at: { gt: '' } },
      limit: 1000,
      ...(after !== undefined && { after }),
    });
    corrections.push(...page.rows.flatMap((row) => row.corrections));
    after = page.cursor;
  } while (after !== undefined);
  return corrections
    .filter(({ hour }) => isIn(Date.parse(hour), { fromMs, untilMs }))
    .sort((a, b) => a.hour.localeCompare(b.hour) || a.package_id.localeCompare(b.package_id));
}

function isIn(ms: number, { fromMs, untilMs }: Range): boolean {
  return ms >= fromMs && ms < untilMs;
}

function daysIn({ fromMs, untilMs }: Range): number[] {
  const firstMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  return Array.from({ length: Math.ceil((untilMs - firstMs) / DAY_MS) }, (_, i) => firstMs + i * DAY_MS);
}

/** Each month of UTC that a range has a day of, as `2026-04`. Pure. */
export function monthsIn(range: Range): string[] {
  return [...new Set(daysIn(range).map((ms) => dayText(ms).slice(0, 7)))];
}

function dayText(ms: number): string {
  return toTimestamp(ms).slice(0, 10);
}

async function getAll<R extends Row>(collection: Collection<R>, keys: readonly string[]): Promise<R[]> {
  return keys.length === 0 ? [] : collection.getMany(keys);
}
