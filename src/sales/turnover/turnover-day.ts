import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { MAX_MINOR } from '../../platform/money.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** `booked`: the budgets of media buys made on a day, as they stand now. `delivered`: what was delivered on it, as it is billed. */
export const TurnoverKind = z.enum(['booked', 'delivered']);
export type TurnoverKind = z.infer<typeof TurnoverKind>;

/** One day's sum over all media buys: derived from their rows and from the facts, and made anew as these change. */
export const TurnoverDay = z.object({
  /** See {@link turnoverKey}. */
  turnover_key: z.string(),
  /** By currency, in its minor units; at most {@link MAX_MINOR}, where more is no amount any more. */
  amounts: z.record(z.string(), z.int().min(0).max(MAX_MINOR)),
  /** The newest change of what it was summed from, as known when that was begun; null where there was none. */
  newest: z.string().nullable(),
  /** When it was begun. */
  summed_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  revision: z.int().min(1),
});
export type TurnoverDay = z.infer<typeof TurnoverDay>;

export const TurnoverDays: CollectionSpec<TurnoverDay> = {
  name: 'turnover_days',
  key: 'turnover_key',
  schema: TurnoverDay,
  indexes: [],
  expires: 'expires_at',
};

/** How far the sums have come. There is one row. */
export const TurnoverMark = z.object({
  mark_id: z.string(),
  /** Who looks before that finds that another does; a timestamp. */
  next_at: z.iso.datetime(),
  /** All that changed before is in the sums; null before they were first made. */
  summed_until: z.iso.datetime().nullable(),
  revision: z.int().min(1),
});
export type TurnoverMark = z.infer<typeof TurnoverMark>;

export const TurnoverMarks: CollectionSpec<TurnoverMark> = {
  name: 'turnover_marks',
  key: 'mark_id',
  schema: TurnoverMark,
  indexes: [],
};
export const MARK_ID = 'turnover';

/** So many days are summed and shown, the one under way among them. */
const DAYS = 30;

/** `day` as `2026-04-01`. */
export function turnoverKey(kind: TurnoverKind, day: string): string {
  return `${kind} ${day}`;
}

/** The days of UTC that are summed, oldest first. Pure. */
export function turnoverDays(nowMs: number): string[] {
  return Array.from({ length: DAYS }, (_, i) => toTimestamp(nowMs - (DAYS - 1 - i) * DAY_MS).slice(0, 10));
}
