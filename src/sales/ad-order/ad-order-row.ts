import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { LineState } from '../ad-server/line-state.ts';
import { Native } from '../ad-server/native.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

const Timestamp = z.iso.datetime({ precision: 3 });

/** Why the ad server's answer is not known, for the operator. */
export const OrderFault = z.object({
  at: Timestamp,
  /** `pending`: it has yet to decide. `refused`: it refuses a stop that must hold. */
  kind: z.enum(['unreachable', 'misconfigured', 'broken', 'internal', 'pending', 'refused']),
  message: z.string(),
});
export type OrderFault = z.infer<typeof OrderFault>;

/**
 * What is known of a buy's order at the ad server, beside what the buy's own row says of it: nothing here decides anything.
 */
export const AdOrderRow = z.object({
  media_buy_id: MediaBuyId,
  ad_server_id: z.string(),
  /** Faults in a row while telling it the version that is open now. */
  faults: z.int(),
  last_fault: OrderFault.nullable(),
  /** The ad server's own ids, as last answered. */
  native: Native.nullable(),
  lines: z.array(LineState),
  /** When a person at the ad server was last looked after; null before the first time. */
  looked_at: Timestamp.nullable(),
  /** When to look next; null for an order that is over. */
  look_due_at: Timestamp.nullable(),
  /** Where the order stands otherwise than it was told. */
  differences: z.array(z.object({ pointer: z.string(), ours: z.unknown(), theirs: z.unknown() })),
  /** Since when it is known to stand otherwise, or a person there has touched a line; null while neither. Absent before a look. */
  drift_since: Timestamp.nullable().optional(),
  /** From when the ad server's last ring was to be answered; absent or null: it has never rung. */
  rung_at: Timestamp.nullable().optional(),
  revision: z.int(),
});
export type AdOrderRow = z.infer<typeof AdOrderRow>;

export const AdOrderRows: CollectionSpec<AdOrderRow> = {
  name: 'ad_orders',
  key: 'media_buy_id',
  schema: AdOrderRow,
  indexes: [
    { name: 'look_due', fields: ['look_due_at'] },
    { name: 'drift', fields: ['drift_since'] },
  ],
};

/** Of an order of which nothing is known yet. */
export function blankAdOrderRow(
  ids: Pick<AdOrderRow, 'media_buy_id' | 'ad_server_id'>,
  look_due_at: string | null,
): AdOrderRow {
  return {
    ...ids,
    ...{ faults: 0, last_fault: null, native: null, lines: [], looked_at: null, look_due_at },
    ...{ differences: [], drift_since: null, revision: 1 },
  };
}
