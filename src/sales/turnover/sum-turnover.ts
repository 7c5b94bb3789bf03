import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { allPages } from '../../platform/store/all-rows.ts';
import type { Collection, Store } from '../../platform/store/collection.ts';
import { DeliveryDays } from '../delivery/delivery-facts.ts';
import { MediaBuys } from '../media-buy/media-buys.ts';
import { AMOUNTS_OF } from './day-amounts.ts';
import type { TurnoverSources } from './day-amounts.ts';
import { MARK_ID, TurnoverDays, turnoverDays, turnoverKey, TurnoverKind, TurnoverMarks } from './turnover-day.ts';
import type { TurnoverDay, TurnoverMark } from './turnover-day.ts';

/** Who sums begins no sooner after the one before. */
const EVERY_MS = 60_000;

/** Summing takes at most one part in so many of a worker's time. */
const SHARE = 20;

/** By so much clocks of processes may differ, and a write be on its way: only after that a sum is taken to have all of a change. */
export const SETTLED_AFTER_MS = 5 * 60_000;

/** Each day is summed anew after this long, whether or not anything is known to have changed. */
const ANYWAY_MS = DAY_MS;

/** A day's sum is gone some days after it is shown no more. */
const KEPT_MS = 40 * DAY_MS;

interface Deps {
  store: Store;
  clock: Clock;
}

/**
 * Sums what was booked and delivered by day, once a minute over all processes: days of which something has changed since, or that have
 * not been summed for a day. Safe to repeat, to be killed anywhere, and for two at once.
 */
export async function sumTurnover({ store, clock }: Deps, stop?: AbortSignal): Promise<void> {
  const marks = store.collection(TurnoverMarks);
  const startMs = clock.now();
  const mark = await claimed(marks, startMs);
  if (mark === undefined) return;
  const sources = { mediaBuys: store.collection(MediaBuys), days: store.collection(DeliveryDays) };
  const sums = store.collection(TurnoverDays);
  const booked = await newestOfBuys(sources, mark.summed_until, startMs);
  const days = turnoverDays(startMs).toReversed();
  const rows = await sums.getMany(days.flatMap((day) => TurnoverKind.options.map((kind) => turnoverKey(kind, day))));
  const known = new Map(rows.map((row) => [row.turnover_key, row]));
  for (const day of days) {
    for (const kind of TurnoverKind.options) {
      if (stop?.aborted === true) return;
      const newest = kind === 'booked' ? (booked.get(day) ?? null) : await newestDelivered(sources, day);
      const turnover_key = turnoverKey(kind, day);
      const due = { turnover_key, day, newest, known: known.get(turnover_key), clock };
      await sumDay(sums, due, () => AMOUNTS_OF[kind](sources, day));
    }
  }
  const tookMs = clock.now() - startMs;
  const [next_at, summed_until] = [toTimestamp(startMs + Math.max(EVERY_MS, tookMs * SHARE)), toTimestamp(startMs)];
  await marks.update(MARK_ID, (now) => ({
    ...now,
    next_at: later(now.next_at, next_at),
    summed_until: later(now.summed_until, summed_until),
  }));
}

/** The mark, for whoever may sum now; undefined for all others. */
async function claimed(marks: Collection<TurnoverMark>, nowMs: number): Promise<TurnoverMark | undefined> {
  const next_at = toTimestamp(nowMs + EVERY_MS);
  const first = { mark_id: MARK_ID, next_at, summed_until: null, revision: 1 };
  const mark = await marks.get(MARK_ID);
  if (mark === undefined) return (await marks.insert(first)).inserted ? first : undefined;
  // Far ahead is one of before the clock was set back.
  const isDue = mark.next_at <= toTimestamp(nowMs) || mark.next_at > toTimestamp(nowMs + DAY_MS);
  return isDue ? marks.replace({ ...mark, next_at }) : undefined;
}

/** By the day that buys were made on, their newest change; of what changed so long ago that it is summed in any case, nothing. */
async function newestOfBuys(
  { mediaBuys }: TurnoverSources,
  summed_until: string | null,
  nowMs: number,
): Promise<ReadonlyMap<string, string>> {
  const newest = new Map<string, string>();
  if (summed_until === null || fromTimestamp(summed_until) < nowMs - ANYWAY_MS) return newest;
  const since = toTimestamp(fromTimestamp(summed_until) - 2 * SETTLED_AFTER_MS);
  for await (const buys of allPages(mediaBuys, { where: { updated_at: { gte: since } } })) {
    for (const { created_at, updated_at } of buys) newest.set(created_at.slice(0, 10), updated_at);
  }
  return newest;
}

async function newestDelivered({ days }: TurnoverSources, day: string): Promise<string | null> {
  const { rows } = await days.find({ where: { day }, sort: { field: 'changed_at', direction: 'desc' }, limit: 1 });
  return rows[0]?.changed_at ?? null;
}

interface DueDay extends Pick<TurnoverDay, 'turnover_key' | 'newest'> {
  day: string;
  /** Its sum as it was; undefined where there was none. */
  known: TurnoverDay | undefined;
  clock: Clock;
}

/** Writes a day's sum where it is due: never one that was begun earlier over a later one. */
async function sumDay(
  sums: Collection<TurnoverDay>,
  { turnover_key, day, newest, known, clock }: DueDay,
  amountsOf: () => Promise<TurnoverDay['amounts']>,
): Promise<void> {
  for (let before = known; ; before = await sums.get(turnover_key)) {
    const nowMs = clock.now();
    if (before !== undefined && !isDue(before, newest, nowMs)) return;
    const row: TurnoverDay = {
      ...{ turnover_key, amounts: await amountsOf(), newest: newest ?? before?.newest ?? null },
      summed_at: toTimestamp(nowMs),
      expires_at: toTimestamp(Date.parse(day) + KEPT_MS),
      revision: 1,
    };
    const isWritten =
      before === undefined
        ? (await sums.insert(row)).inserted
        : (await sums.replace({ ...before, ...row, revision: before.revision })) !== undefined;
    if (isWritten) return;
  }
}

function isDue(before: TurnoverDay, newest: string | null, nowMs: number): boolean {
  const summedMs = fromTimestamp(before.summed_at);
  if (nowMs >= summedMs + ANYWAY_MS) return true;
  if (newest === null) return false;
  const settledMs = fromTimestamp(newest) + SETTLED_AFTER_MS;
  return newest !== before.newest || (summedMs < settledMs && nowMs >= settledMs);
}

function later(a: string | null, b: string): string {
  return a !== null && a > b ? a : b;
}
