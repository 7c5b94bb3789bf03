import { fromTimestamp } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import type { RestateControl, ReviewControl, TraffickerControl } from './controls.ts';
import { creativeVersion } from './native-order.ts';
import type { NativeLine } from './native-order.ts';
import type { OrderRecords } from './order-records.ts';
import type { AdOrderRecord, NativeHour } from './order-row.ts';
import { effectiveAt, followNative } from './played-order.ts';
import { hoursSinceSettled, restateSettled, settledHours, withHour } from './stated-hours.ts';

/** What a person does to an order there; nothing, to one that does not exist. `flightNow`: where an order's flight stands. */
export async function traffick(
  records: OrderRecords,
  { media_buy_id, package_id, action, budget_minor }: TraffickerControl,
  flightNow: (record: AdOrderRecord) => number,
): Promise<void> {
  await records.write(MediaBuyId.parse(media_buy_id), (record) => {
    if (record?.native == null) return undefined;
    const lines = record.native.lines.map((line) => {
      const isMeant = package_id === undefined || package_id === line.package_id;
      return isMeant ? touched(line, action, budget_minor) : line;
    });
    const version = record.held?.version ?? record.last?.version ?? 1;
    const native = { ...record.native, lines };
    return followNative({ ...record, native }, version, effectiveAt(record, flightNow(record)));
  });
}

function touched(line: NativeLine, action: TraffickerControl['action'], budget_minor: number | undefined): NativeLine {
  if (action === 'edit') {
    return budget_minor === undefined ? { ...line, name: `${line.name} (edited)` } : { ...line, budget_minor };
  }
  const state = ({ pause: 'paused', resume: 'running', archive: 'ended' } as const)[action];
  return line.state === state ? line : { ...line, state, by_hand: true };
}

/** Takes a creative that review has named off every line that shows it, or lets it be shown again, from now on. */
export async function showAsReviewed(
  records: OrderRecords,
  { creative_id, verdict }: ReviewControl,
  flightNow: (record: AdOrderRecord) => number,
): Promise<void> {
  if (creative_id === undefined) return;
  const versionsIn = ({ native }: AdOrderRecord) =>
    (native?.lines ?? [])
      .flatMap((line) => line.creatives.filter((creative) => creative.creative_id === creative_id))
      .map(creativeVersion);
  for await (const { media_buy_id, ...found } of records.all()) {
    if (versionsIn({ media_buy_id, ...found }).length === 0) continue;
    await records.write(media_buy_id, (record) => {
      if (record?.native == null) return undefined;
      const versions = versionsIn(record);
      const others = record.native.unapproved.filter((version) => !versions.includes(version));
      const unapproved = verdict === 'approved' ? others : [...others, ...new Set(versions)];
      const native = { ...record.native, unapproved };
      const version = record.held?.version ?? record.last?.version ?? 1;
      return followNative({ ...record, native }, version, effectiveAt(record, flightNow(record)));
    });
  }
}

/** States an hour otherwise from now on. */
export async function restateHour(
  records: OrderRecords,
  { media_buy_id, package_id, hour, counts, spend_minor }: RestateControl,
): Promise<void> {
  const record = await records.get(MediaBuyId.parse(media_buy_id));
  if (record === undefined) return;
  const hourMs = fromTimestamp(hour);
  const isSettled = hourMs < fromTimestamp(record.settled_at);
  const before = isSettled
    ? await settledHours(records.days, record, [hourMs, hourMs + HOUR_MS])
    : hoursSinceSettled(record, hourMs + HOUR_MS);
  const known = before.find((other) => other.package_id === package_id && other.hour === hour);
  const restated = { package_id, hour, ...counts, spend_minor: spend_minor ?? inProportion(known, counts.impressions) };
  if (isSettled) await restateSettled(records.days, record, restated);
  else {
    await records.write(record.media_buy_id, (now) => now && { ...now, restated: withHour(now.restated, restated) });
  }
}

function inProportion(known: NativeHour | undefined, impressions: number): number {
  if (known === undefined || known.impressions === 0) return 0;
  return Number((BigInt(known.spend_minor) * BigInt(impressions)) / BigInt(known.impressions));
}
