import { fromTimestamp, toTimestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { DAY_MS, HOUR_MS } from '../hours.ts';
import type { Store } from '../store/collection.ts';
import { hoursEnd, spansOf } from './roll-up.ts';
import { MINUTE_MS } from './stat-recorder.ts';
import { StatSpans, addedUp } from './stat-span.ts';
import type { Tally } from './stat-span.ts';

/** What can be looked back at: how far, in steps of how long, in milliseconds. */
const RANGES = {
  hour: { stepMs: MINUTE_MS, steps: 60 },
  day: { stepMs: HOUR_MS, steps: 24 },
  week: { stepMs: HOUR_MS, steps: 7 * 24 },
  month: { stepMs: DAY_MS, steps: 30 },
} as const;

export type StatRange = keyof typeof RANGES;
export const STAT_RANGES = ['hour', 'day', 'week', 'month'] as const satisfies readonly StatRange[];

/** Where hours are not made, minutes no further back than this are read: there may be many. */
const MOST_MINUTES_MS = 3 * HOUR_MS;

/** One step of a range. */
export interface StatPoint extends Tally {
  /** Its first instant; steps lie in UTC. */
  at: string;
}

/**
 * All steps of a range up to now, the oldest first, also those in which nothing was counted. The step under way is the last. Hours and days
 * are made of hours' rows, and of minutes where the last hours have none yet.
 */
export async function readStats(
  { store, clock }: { store: Store; clock: Clock },
  range: StatRange,
): Promise<{ stepMs: number; points: StatPoint[] }> {
  const { stepMs, steps } = RANGES[range];
  const spans = store.collection(StatSpans);
  const untilMs = (Math.floor(clock.now() / stepMs) + 1) * stepMs;
  const fromMs = untilMs - steps * stepMs;
  const minutesFromMs =
    range === 'hour' ? fromMs : Math.max(fromMs, await hoursEnd(spans), clock.now() - MOST_MINUTES_MS);
  const [hours, minutes] = await Promise.all([
    range === 'hour' ? [] : spansOf(spans, 'hour', { fromMs, untilMs: minutesFromMs }),
    spansOf(spans, 'minute', { fromMs: minutesFromMs, untilMs }),
  ]);
  const byStep = Array.from({ length: steps }, (): Tally[] => []);
  for (const row of [...hours, ...minutes]) byStep[Math.floor((fromTimestamp(row.at) - fromMs) / stepMs)]?.push(row);
  const points = byStep.map((rows, i) => ({ at: toTimestamp(fromMs + i * stepMs), ...addedUp(rows) }));
  return { stepMs, points };
}
