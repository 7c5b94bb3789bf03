import { MAX_MINOR } from '../../platform/money.ts';
import { numbersIn, slotsPattern, withNumbers } from './slots.ts';
import type { Slots } from './slots.ts';

/** What was delivered: whole counts, and spend in minor units of the buy's currency. */
export interface Measure {
  impressions: number;
  spend_minor: number;
  clicks: number;
}

export const NOTHING: Measure = { impressions: 0, spend_minor: 0, clicks: 0 };

/** The exact sum. @throws {RangeError} when it cannot be counted. */
export function sumMeasures(parts: readonly Measure[]): Measure {
  const sum = { ...NOTHING };
  for (const { impressions, spend_minor, clicks } of parts) {
    sum.impressions += impressions;
    sum.spend_minor += spend_minor;
    sum.clicks += clicks;
    // No part is negative, so a sum that has left the range of exact integers never comes back into it.
    const isExact = Number.isSafeInteger(sum.impressions) && Number.isSafeInteger(sum.clicks);
    if (!isExact || sum.spend_minor > MAX_MINOR) throw new RangeError('more than can be counted');
  }
  return sum;
}

/** Measures in slots: `slot:impressions,spend_minor,clicks`, such as `0:1040,650,2 1:985,616,1`. */
export const SLOTS_PATTERN = slotsPattern(3);
const WIDTH = 4;

/** The measures in slots, with their slot. */
export function measuresIn(slots: Slots): ({ slot: number } & Measure)[] {
  const numbers = numbersIn(slots);
  const measures: ({ slot: number } & Measure)[] = [];
  for (let i = 0; i + WIDTH <= numbers.length; i += WIDTH) {
    measures.push({
      slot: numbers[i] ?? 0,
      impressions: numbers[i + 1] ?? 0,
      spend_minor: numbers[i + 2] ?? 0,
      clicks: numbers[i + 3] ?? 0,
    });
  }
  return measures;
}

/** The measure of a slot, if there is one. */
export function slotOf(slots: Slots, wanted: number): Measure | undefined {
  const found = measuresIn(slots).find(({ slot }) => slot === wanted);
  return found && { impressions: found.impressions, spend_minor: found.spend_minor, clicks: found.clicks };
}

/** The slots with this one's measure set, in the order of their numbers. */
export function withSlot(slots: Slots, slot: number, { impressions, spend_minor, clicks }: Measure): Slots {
  return withNumbers(slots, slot, [impressions, spend_minor, clicks]);
}
