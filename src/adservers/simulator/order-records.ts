import type { Collection, Store } from '../../platform/store/collection.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { createFirstOrders } from './first-orders.ts';
import { AdOrderRecords } from './order-row.ts';
import type { AdOrderRecord } from './order-row.ts';
import { settleDays, StatedDays } from './stated-hours.ts';
import type { StatedDay } from './stated-hours.ts';

/** The orders that the simulated ad server keeps, those of 0.1.0 among them. */
export interface OrderRecords {
  days: Collection<StatedDay>;
  /** The order; of one that only 0.1.0 has run, what it would be here. */
  get(media_buy_id: MediaBuyId): Promise<AdOrderRecord | undefined>;
  /**
   * Load, change, compare and swap, again when another writer came first. `change` is pure, gets nothing for an order that
   * is not known, and answers nothing to leave it alone. Answers the order as it now stands.
   */
  write(
    media_buy_id: MediaBuyId,
    change: (record: AdOrderRecord | undefined) => AdOrderRecord | undefined,
  ): Promise<AdOrderRecord | undefined>;
  /** Every order, of 0.1.0 only those that were put since: for what one thing changes in many. */
  all(): AsyncGenerator<AdOrderRecord>;
  /** Moves to rows of their own the days of an order that can not be stated otherwise any more. */
  settle(record: AdOrderRecord): Promise<AdOrderRecord>;
}

export function createOrderRecords(store: Store): OrderRecords {
  const orders = store.collection(AdOrderRecords);
  const ofFirst = createFirstOrders(store);
  const days = store.collection(StatedDays);

  const write: OrderRecords['write'] = async (media_buy_id, change) => {
    for (;;) {
      if ((await orders.get(media_buy_id)) === undefined) {
        const first = await ofFirst(media_buy_id);
        const made = change(first);
        if (made === undefined) return first;
        if ((await orders.insert({ ...made, media_buy_id })).inserted) return made;
      }
      const updated = await orders.update(media_buy_id, change);
      if (updated !== undefined) return updated.row;
    }
  };
  return {
    days,
    get: async (media_buy_id) => (await orders.get(media_buy_id)) ?? (await ofFirst(media_buy_id)),
    write,
    async *all() {
      for (let after: string | undefined; ;) {
        const page = await orders.find({ where: { created_at: { gt: '' } }, ...(after !== undefined && { after }) });
        yield* page.rows;
        after = page.cursor;
        if (after === undefined) return;
      }
    },
    async settle(record) {
      const settled = settleDays(record);
      if (settled === undefined) return record;
      await days.insertMany(settled.days);
      const { settled_at } = settled.record;
      const isFirst = (now: AdOrderRecord) => now.settled_at < settled_at;
      return (
        (await write(record.media_buy_id, (now) =>
          now !== undefined && isFirst(now) ? settleDays(now)?.record : undefined,
        )) ?? settled.record
      );
    },
  };
}
