import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import { simulate } from './simulated-delivery.ts';
import type { DeliveredHour } from './delivered-hour.ts';
import { RESTATES_HOURS } from './description.ts';
import { NativeHour } from './order-row.ts';
import type { AdOrderRecord } from './order-row.ts';

const NOON_MS = 12 * HOUR_MS;

/**
 * What was stated of an order from one noon of UTC to the next, once nothing of it is counted anew any more: noon hours are,
 * at 06:00 of the next day. So an order's own row stays small however long it runs.
 */
export const StatedDay = z.strictObject({
  day_key: z.string(),
  revision: z.int(),
  media_buy_id: z.string(),
  /** The day's noon. */
  since: z.string(),
  hours: z.array(NativeHour),
});
export type StatedDay = z.infer<typeof StatedDay>;

export const StatedDays: CollectionSpec<StatedDay> = {
  name: 'simulated_stated_days',
  key: 'day_key',
  schema: StatedDay,
  indexes: [{ name: 'order', fields: ['media_buy_id', 'since'] }],
};

/** Every hour from what is settled to an instant, and those that 0.1.0 left, as they are stated now. Pure. */
export function hoursSinceSettled(record: AdOrderRecord, untilMs: number): NativeHour[] {
  const from = { atMs: fromTimestamp(record.settled_at), tallies: record.settled };
  const { hours, corrections } = simulate(record, from, untilMs);
  const carried = record.carried ?? [];
  const counted = new Map([...carried, ...hours, ...corrections].map((hour) => [hourKey(hour), countsOf(hour)]));
  for (const hour of record.restated) {
    if (fromTimestamp(hour.hour) < untilMs) counted.set(hourKey(hour), hour);
  }
  return [...counted.values()];
}

/**
 * The record with everything settled that can not be counted anew, given how far it was stated, and the days that are to be
 * kept before it may be written; nothing when there are none. Pure, and the same for the same order and instant.
 */
export function settleDays(record: AdOrderRecord): { days: StatedDay[]; record: AdOrderRecord } | undefined {
  const settledMs = fromTimestamp(record.settled_at);
  const untilMs = floorNoon(fromTimestamp(record.stated_until) - RESTATES_HOURS * HOUR_MS);
  if (untilMs <= settledMs) return undefined;
  const { media_buy_id, instructions } = record;
  const { tallies } = simulate(record, { atMs: settledMs, tallies: record.settled }, untilMs);
  const byDay = new Map<string, NativeHour[]>();
  for (const hour of hoursSinceSettled(record, untilMs)) {
    const since = noonBefore(hour.hour);
    byDay.set(since, [...(byDay.get(since) ?? []), hour]);
  }
  const days = [...byDay].map(([since, hours]) => ({
    ...{ day_key: dayKey(media_buy_id, since), revision: 1, media_buy_id, since, hours },
  }));
  const { carried: _carried, ...kept } = record;
  const settled_at = toTimestamp(untilMs);
  const isStillNeeded = (_: unknown, i: number) => {
    const next = instructions[i + 1];
    return next === undefined || next.at > settled_at;
  };
  return {
    days,
    record: {
      ...kept,
      ...{ settled_at, settled: tallies },
      instructions: instructions.filter(isStillNeeded),
      restated: record.restated.filter(({ hour }) => hour >= settled_at),
    },
  };
}

/** The hours of settled days that begin in `[fromMs, untilMs)`. */
export async function settledHours(
  days: Collection<StatedDay>,
  record: AdOrderRecord,
  [fromMs, untilMs]: readonly [number, number],
): Promise<NativeHour[]> {
  const toMs = Math.min(untilMs, fromTimestamp(record.settled_at));
  if (fromMs >= toMs) return [];
  const since = { gte: toTimestamp(floorNoon(fromMs)), lt: toTimestamp(toMs) };
  const { rows } = await days.find({ where: { media_buy_id: record.media_buy_id, since }, limit: 1000 });
  const [from, to] = [toTimestamp(fromMs), toTimestamp(toMs)];
  return rows.flatMap(({ hours }) => hours.filter(({ hour }) => hour >= from && hour < to));
}

/** States an hour of a settled day otherwise. */
export async function restateSettled(
  days: Collection<StatedDay>,
  { media_buy_id }: AdOrderRecord,
  restated: NativeHour,
): Promise<void> {
  const since = noonBefore(restated.hour);
  const day_key = dayKey(media_buy_id, since);
  await days.insert({ day_key, revision: 1, media_buy_id, since, hours: [] });
  await days.update(day_key, (day) => ({ ...day, hours: withHour(day.hours, restated) }));
}

/** The hours with one of them told otherwise, or added. */
export function withHour(hours: readonly NativeHour[], hour: NativeHour): NativeHour[] {
  return [...hours.filter((other) => hourKey(other) !== hourKey(hour)), hour];
}

function countsOf({ package_id, hour, impressions, clicks, spend_minor }: DeliveredHour | NativeHour): NativeHour {
  return { package_id, hour, impressions, clicks, spend_minor };
}

function hourKey({ package_id, hour }: Pick<NativeHour, 'package_id' | 'hour'>): string {
  return `${hour}/${package_id}`;
}

function dayKey(media_buy_id: string, since: string): string {
  return `${media_buy_id}/${since}`;
}

function noonBefore(hour: string): string {
  return toTimestamp(floorNoon(fromTimestamp(hour)));
}

function floorNoon(ms: number): number {
  return Math.floor((ms - NOON_MS) / DAY_MS) * DAY_MS + NOON_MS;
}
