import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { DeliveryDay } from '../delivery/delivery-facts.ts';
import type { HourChange } from '../delivery/hour-change.ts';
import { measuresIn } from '../delivery/measure.ts';
import { NO_SLOTS } from '../delivery/slots.ts';
import { UNWATCHED, watchedIn } from '../delivery/watched.ts';
import type { BuyTerms, LineTerms } from './buy-terms.ts';
import { BLANK_LINE } from './delivery-book.ts';
import type { DeliveryBook } from './delivery-book.ts';
import { planLine } from './plan-line.ts';
import type { StatedHour } from './stated-hours.ts';
import { bucketOf, hoursOf } from './window.ts';
import type { Window } from './window.ts';

export interface PlanDay {
  terms: BuyTerms;
  book: DeliveryBook;
  /** The day's first instant, in milliseconds. */
  dayMs: number;
  /** The day in the facts, if it is there. */
  day: DeliveryDay | undefined;
  stated: ReadonlyMap<string, ReadonlyMap<number, StatedHour>>;
  window: Window;
  spend: 'stated' | 'computed';
  /** No later day has anything. */
  isNewest: boolean;
}

/** What a day's hours are to be by a statement, and the lines of the book after them. Pure. */
export function planDay({ terms, book, dayMs, day, stated, window, spend, isNewest }: PlanDay): {
  lines: DeliveryBook['lines'];
  changes: HourChange[];
} {
  const covered = hoursOf(window, dayMs).map((hourMs) => ({ hourMs, ...bucketOf(window, hourMs) }));
  const lines = { ...book.lines };
  const knownMs = book.complete_until === null ? -Infinity : fromTimestamp(book.complete_until);
  const changes = terms.lines.flatMap((line) => {
    const { package_id } = line;
    const known = storedHours(day, dayMs, package_id);
    const said = stated.get(package_id) ?? new Map<number, StatedHour>();
    const overMs = Math.min(fromTimestamp(line.end), fromTimestamp(terms.stopped_at ?? line.end));
    const planned = planLine({
      ...{ line, book: book.lines[package_id] ?? BLANK_LINE, stored: known, stated: said },
      hours: covered.filter((hour) => known.has(hour.hourMs) || said.has(hour.hourMs) || isDue(line, hour, overMs)),
      ...{ knownMs, overMs, spend, isNewest, isDone: isNewest && window.completeMs >= fromTimestamp(line.end) },
      correctionId: (hour) => `corr_${package_id}_${hour}_${correctionsOf(day, package_id, hour) + 1}`,
    });
    if (planned.changes.length > 0 || lines[package_id] !== undefined) lines[package_id] = planned.book;
    return planned.changes;
  });
  return { lines, changes };
}

/** A line's hours in a day of the facts. */
export function storedHours(day: DeliveryDay | undefined, dayMs: number, package_id: string): Map<number, StatedHour> {
  const watched = watchedIn(day?.watched?.[package_id] ?? NO_SLOTS);
  return new Map(
    measuresIn(day?.hours[package_id] ?? NO_SLOTS).map(({ slot, ...measure }) => {
      const seen = watched.get(slot);
      return [dayMs + slot * HOUR_MS, { ...measure, ...(seen ?? UNWATCHED), isWatched: seen !== undefined }];
    }),
  );
}

/** The name of a day of the facts. */
export function dayName(dayMs: number): string {
  return toTimestamp(dayMs).slice(0, 10);
}

/** A flat fee falls due in hours without delivery, too. */
function isDue({ model, start }: LineTerms, at: { beginsMs: number; endsMs: number }, overMs: number): boolean {
  return model === 'flat-fee' && at.endsMs > fromTimestamp(start) && at.beginsMs < overMs;
}

function correctionsOf(day: DeliveryDay | undefined, package_id: string, hour: string): number {
  return (day?.corrections ?? []).filter((made) => made.package_id === package_id && made.hour === hour).length;
}
