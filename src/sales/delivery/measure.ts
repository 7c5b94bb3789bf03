import { sumMinor } from '../../platform/money.ts';

/** What was delivered: whole counts, and spend in minor units of the buy's currency. */
export interface Measure {
  impressions: number;
  spend_minor: number;
  clicks: number;
}

export const NOTHING: Measure = { impressions: 0, spend_minor: 0, clicks: 0 };

/** The exact sum. @throws {RangeError} when it cannot be counted. */
export function sumMeasures(parts: readonly Measure[]): Measure {
  return {
    impressions: parts.reduce((sum, part) => checkedSum(sum, part.impressions), 0),
    spend_minor: sumMinor(parts.map((part) => part.spend_minor)),
    clicks: parts.reduce((sum, part) => checkedSum(sum, part.clicks), 0),
  };
}

function checkedSum(a: number, b: number): number {
  if (!Number.isSafeInteger(a + b)) throw new RangeError('more than can be counted');
  return a + b;
}

/**
 * Measures in a row, each with the number of its hour or day: `[slot, impressions, spend_minor, clicks, slot, …]`. Slots
 * without delivery are left out.
 */
export type Slots = number[];
const WIDTH = 4;

/** The measures in slots that `isWanted`, with their slot. */
export function* measuresIn(slots: Slots): Generator<{ slot: number } & Measure> {
  for (let i = 0; i + WIDTH <= slots.length; i += WIDTH) {
    const [slot = 0, impressions = 0, spend_minor = 0, clicks = 0] = slots.slice(i, i + WIDTH);
    yield { slot, impressions, spend_minor, clicks };
  }
}

/** The measure of a slot, if there is one. */
export function slotOf(slots: Slots, wanted: number): Measure | undefined {
  for (const { slot, ...measure } of measuresIn(slots)) {
    if (slot === wanted) return measure;
  }
  return undefined;
}

/** The slots with this one's measure set, in the order of their numbers. */
export function withSlot(slots: Slots, slot: number, { impressions, spend_minor, clicks }: Measure): Slots {
  const others = [...measuresIn(slots)].filter((other) => other.slot !== slot);
  const all = [...others, { slot, impressions, spend_minor, clicks }].sort((a, b) => a.slot - b.slot);
  return all.flatMap((one) => [one.slot, one.impressions, one.spend_minor, one.clicks]);
}
