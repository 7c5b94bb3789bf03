import { numbersIn, slotsPattern, withNumbers } from './slots.ts';
import type { Slots } from './slots.ts';

/** What became of impressions, where an ad server counts it. */
export interface Watched {
  viewable: number;
  completions: number;
}

export const UNWATCHED: Watched = { viewable: 0, completions: 0 };

/** In slots: `slot:viewable,completions`. */
export const WATCHED_PATTERN = slotsPattern(2);

/** By slot. */
export function watchedIn(slots: Slots): ReadonlyMap<number, Watched> {
  const numbers = numbersIn(slots);
  const found = new Map<number, Watched>();
  for (let i = 0; i + 3 <= numbers.length; i += 3) {
    found.set(numbers[i] ?? 0, { viewable: numbers[i + 1] ?? 0, completions: numbers[i + 2] ?? 0 });
  }
  return found;
}

/** The slots with this one set. */
export function withWatched(slots: Slots, slot: number, { viewable, completions }: Watched): Slots {
  return withNumbers(slots, slot, [viewable, completions]);
}
