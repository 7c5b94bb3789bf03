import { toTimestamp } from '../../platform/clock.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import { dayKey, monthKey } from './delivery-facts.ts';
import type { Correction, DeliveryDay, DeliveryMonth, WritableFacts } from './delivery-facts.ts';
import type { HourChange } from './hour-change.ts';
import { measuresIn, NOTHING, slotOf, sumMeasures, withSlot } from './measure.ts';
import { NO_SLOTS } from './slots.ts';
import { UNWATCHED, watchedIn, withWatched } from './watched.ts';

/**
 * Puts hours into the facts, first those, then the sums made from them: an hour that is not in yet, and a correction that was
 * not made yet. What is there already stays, so that it is safe to repeat at any time later and to be killed anywhere.
 * @param recorded_at When, for corrections; a timestamp.
 */
export async function writeHours(
  facts: WritableFacts,
  media_buy_id: MediaBuyId,
  changes: readonly HourChange[],
  recorded_at: string,
): Promise<void> {
  for (const [day, ofDay] of byDay(changes)) {
    const row = await recordDay(facts, { media_buy_id, day }, (stored) => withChanges(stored, ofDay, recorded_at));
    await sumDay(facts.months, row);
  }
}

/** The number of an hour in its day. */
export function hourNumber(hour: string): number {
  return Number(hour.slice(11, 13));
}

function byDay(changes: readonly HourChange[]): Map<string, HourChange[]> {
  const days = new Map<string, HourChange[]>();
  for (const change of changes) {
    const day = change.hour.slice(0, 10);
    const known = days.get(day);
    if (known === undefined) days.set(day, [change]);
    else known.push(change);
  }
  return days;
}

/** The facts with the hours that are not in yet, and the corrections that were not made yet. Pure. */
function withChanges(day: DeliveryDay, changes: readonly HourChange[], recorded_at: string): DeliveryDay | undefined {
  const hours = { ...day.hours };
  const watched = { ...day.watched };
  const corrections = [...day.corrections];
  let isChanged = false;
  for (const { package_id, hour, correction_id, impressions, spend_minor, clicks, ...more } of changes) {
    const slot = hourNumber(hour);
    const slots = hours[package_id] ?? NO_SLOTS;
    const before = slotOf(slots, slot);
    const isMade =
      correction_id === undefined
        ? before !== undefined
        : corrections.some((made) => made.correction_id === correction_id);
    if (isMade) continue;
    isChanged = true;
    const after = { impressions, spend_minor, clicks };
    hours[package_id] = withSlot(slots, slot, after);
    const isWatched = more.viewable !== undefined || more.completions !== undefined;
    const seen = watchedIn(watched[package_id] ?? NO_SLOTS).get(slot);
    const watchedAfter = { viewable: more.viewable ?? 0, completions: more.completions ?? 0 };
    if (isWatched || seen !== undefined) {
      watched[package_id] = withWatched(watched[package_id] ?? NO_SLOTS, slot, watchedAfter);
    }
    if (correction_id === undefined) continue;
    const ends: Pick<Correction, 'before' | 'after'> =
      isWatched || seen !== undefined
        ? { before: { ...(before ?? NOTHING), ...(seen ?? UNWATCHED) }, after: { ...after, ...watchedAfter } }
        : { before: before ?? NOTHING, after };
    corrections.push({ correction_id, package_id, hour, recorded_at, ...ends });
  }
  if (!isChanged) return undefined;
  const corrected_at = corrections.length > day.corrections.length ? recorded_at : day.corrected_at;
  return { ...day, hours, corrections, corrected_at, ...(Object.keys(watched).length > 0 && { watched }) };
}

async function recordDay(
  { days, clock }: WritableFacts,
  { media_buy_id, day }: Pick<DeliveryDay, 'media_buy_id' | 'day'>,
  change: (day: DeliveryDay) => DeliveryDay | undefined,
): Promise<DeliveryDay> {
  const now = toTimestamp(clock.now());
  const changed = (stored: DeliveryDay) => {
    const next = change(stored);
    return next && { ...next, changed_at: later(stored.changed_at, now) };
  };
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
    const outcome = await days.update(day_key, changed);
    if (outcome !== undefined) return outcome.row;
    const first = changed(blank) ?? blank;
    if ((await days.insert(first)).inserted) return first;
  }
}

function later(a = '', b: string): string {
  return a > b ? a : b;
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
