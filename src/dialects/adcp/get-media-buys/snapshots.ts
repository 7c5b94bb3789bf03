import { toTimestamp } from '../../../platform/clock.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { recordedUpTo } from '../../../sales/flight/recorded-up-to.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { DeliveryRow } from '../../../tasks/get-media-buy-delivery/schema.ts';
import type { Ask } from '../translator.ts';

/** By package: what it has delivered since the flight began, or why that cannot be told now. */
export type Snapshots = ReadonlyMap<string, JsonObject>;

/** The snapshots of the packages of some buys of the caller's, at most a hundred, as their delivery is counted now. */
export async function snapshotsOf(ask: Ask, buys: readonly MediaBuy[], nowMs: number): Promise<Snapshots> {
  if (buys.length === 0) return new Map();
  const media_buy_ids = buys.map(({ media_buy_id }) => media_buy_id);
  const told = await ask('get_media_buy_delivery', { media_buy_ids, granularity: 'monthly' });
  const rows = (told as { media_buy_deliveries?: DeliveryRow[] }).media_buy_deliveries ?? [];
  const asOf = new Map(buys.map((buy) => [buy.media_buy_id, recordedUpTo(buy, nowMs)]));
  return new Map(
    rows.flatMap(({ media_buy_id, status, currency, by_package }) =>
      by_package.map(({ package_id, impressions, spend, clicks }): [string, JsonObject] => {
        if (status === 'reporting_delayed')
          return [package_id, { snapshot_unavailable_reason: 'SNAPSHOT_TEMPORARILY_UNAVAILABLE' }];
        const ms = asOf.get(media_buy_id) ?? nowMs;
        const staleness_seconds = Math.max(0, Math.floor((nowMs - ms) / 1000));
        const snapshot = { as_of: toTimestamp(ms), staleness_seconds, impressions, spend, clicks, currency };
        return [package_id, { snapshot }];
      }),
    ),
  );
}
