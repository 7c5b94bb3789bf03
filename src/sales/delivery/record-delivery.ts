import type { Collection } from '../../platform/store/collection.ts';
import type { CorrectedHour, DeliveredHour, DeliveryReport } from '../ad-server/first-port.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { dayKey, monthKey } from './delivery-facts.ts';
import type { DeliveryDay, DeliveryMonth } from './delivery-facts.ts';
import { measuresIn, NO_SLOTS, NOTHING, slotOf, sumMeasures, withSlot } from './measure.ts';

export interface DeliveryFacts {
  days: Collection<DeliveryDay>;
  months: Collection<DeliveryMonth>;
}

/**
 * Records what the ad server reports: first the facts, then the sums made from them. Safe to repeat and to be killed
 * anywhere; a report is done with when this has resolved.
 * @param recorded_at When, for corrections; a timestamp.
 */
export async function recordDelivery(
  facts: DeliveryFacts,
  media_buy_id: MediaBuyId,
  report: Pick<DeliveryReport, 'hours' | 'corrections'>,
  recorded_at: string,
): Promise<void> {
  for (const [day, changes] of byDay(report)) {
    const row = await recordDay(facts.days, { media_buy_id, day }, (stored) =>
      withChanges(stored, changes, recorded_at),
    );
    await sumDay(facts.months, row);
  }
}

interface DayChanges {
  hours: DeliveredHour[];
  corrections: CorrectedHour[];
}

function byDay({ hours, corrections }: Pick<DeliveryReport, 'hours' | 'corrections'>): Map<string, DayChanges> {
  const days = new Map<string, DayChanges>();
  const of = ({ hour }: { hour: string }) => {
    const day = hour.slice(0, 10);
    const known = days.get(day) ?? { hours: [], corrections: [] };
    days.set(day, known);
    return known;
  };
  for (const one of hours) of(one).hours.push(one);
  for (const one of corrections) of(one).corrections.push(one);
  return days;
}

/** The facts with a report's hours that are not in yet, and its corrections that were not made yet. Pure. */
function withChanges(day: DeliveryDay, changes: DayChanges, recorded_at: string): DeliveryDay | undefined {
  const hours = { ...day.hours };
  const corrections = [...day.corrections];
  let isChanged = false;
  for (const { package_id, hour, ...measure } of changes.hours) {
    const slots = hours[package_id] ?? NO_SLOTS;
    if (slotOf(slots, hourNumber(hour)) !== undefined) continue;
    hours[package_id] = withSlot(slots, hourNumber(hour), measure);
    isChanged = true;
  }
  for (const { correction_id, package_id, hour, impressions, spend_minor, clicks } of changes.corrections) {
    if (corrections.some((made) => made.correction_id === correction_id)) continue;
    const after = { impressions, spend_minor, clicks };
    const before = slotOf(hours[package_id] ?? NO_SLOTS, hourNumber(hour)) ?? NOTHING;
    hours[package_id] = withSlot(hours[package_id] ?? NO_SLOTS, hourNumber(hour), after);
    corrections.push({ correction_id, package_id, hour, recorded_at, before, after });
    isChanged = true;
  }
  const corrected_at = corrections.length > day.corrections.length ? recorded_at : day.corrected_at;
  return isChanged ? { ...day, hours, corrections, corrected_at } : undefined;
}

function hourNumber(hour: string): number {
  return Number(hour.slice(11, 13));
}

async function recordDay(
  days: Collection<DeliveryDay>,
  { media_buy_id, day }: Pick<DeliveryDay, 'media_buy_id' | 'day'>,
  change: (day: DeliveryDay) => DeliveryDay | undefined,
): Promise<DeliveryDay> {
  const day_key = dayKey(media_buy_id, day);
  const blank: DeliveryDay = {
    day_key,
    media_buy_id,
    day,
    hours: {},
    corrections: [],
    corrected_at: null,
    revision: 1,
  };
  for (;;) {
    const outcome = await days.update(day_key, change);
    if (outcome !== undefined) return outcome.row;
    const first = change(blank) ?? blank;
    if ((await days.insert(first)).inserted) return first;
  }
}

/** Puts a day's sums into its month, unless they are there from newer facts. */
async function sumDay(months: Collection<DeliveryMonth>, facts: DeliveryDay): Promise<void> {
  const { media_buy_id, day } = facts;
  const month = day.slice(0, 7);
  const month_key = monthKey(media_buy_id, month);
  const blank: DeliveryMonth = { month_key, media_buy_id, month, days: {}, summed_from: {}, revision: 1 };
  for (;;) {
    const outcome = await months.update(month_key, (stored) => withDay(stored, facts));
    if (outcome !== undefined) return;
    if ((await months.insert(withDay(blank, facts) ?? blank)).inserted) return;
  }
}

/** The month with a day's sums. Pure. */
function withDay(month: DeliveryMonth, { day, hours, revision }: DeliveryDay): DeliveryMonth | undefined {
  const number = Number(day.slice(8, 10));
  if ((month.summed_from[number] ?? 0) >= revision) return undefined;
  const days = { ...month.days };
  for (const [package_id, slots] of Object.entries(hours)) {
    days[package_id] = withSlot(days[package_id] ?? NO_SLOTS, number, sumMeasures(measuresIn(slots)));
  }
  return { ...month, days, summed_from: { ...month.summed_from, [number]: revision } };
}
