import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { floorHour } from '../../platform/hours.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { AdOrder } from '../../sales/ad-server/ad-order.ts';
import { Reason } from '../../sales/ad-server/put-answer.ts';
import { Instruction, LineTally } from './simulated-order.ts';
import { SIMULATED_TROUBLE, troubleIn } from './simulated-trouble.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { NativeOrder } from './native-order.ts';

const Count = z.int().min(0);

/** An hour of a line as statements tell it. */
export const NativeHour = z.strictObject({
  package_id: z.string(),
  /** The hour's first instant. */
  hour: z.string(),
  impressions: Count,
  clicks: Count,
  spend_minor: Count,
  completions: Count.optional(),
  viewable: Count.optional(),
});
export type NativeHour = z.infer<typeof NativeHour>;

/** What became of the highest version that was put. */
const LastVersion = z.strictObject({
  version: z.int(),
  /** Null: put to 0.1.0, which knew none. */
  digest: z.string().nullable(),
  /** `making`: some of its steps may have been written, and not all. */
  outcome: z.enum(['done', 'refused', 'pending', 'making']),
  /** Why it is refused, or will be once it is decided; else null. */
  reasons: z.array(Reason).nullable(),
  /** What is not decided yet, and when it will be, by the wall clock; else null. */
  pending: z.strictObject({ order: AdOrder, decided_at: z.string(), unapproved: z.array(z.string()) }).nullable(),
});

/** The version that holds. */
const HeldVersion = z.strictObject({
  version: z.int(),
  /** Null: put to 0.1.0, which kept less of it. */
  order: AdOrder.nullable(),
});

/** An order as the simulated ad server keeps it. Instants are the flight's, unless they say otherwise. */
export const AdOrderRecord = z.strictObject({
  media_buy_id: MediaBuyId,
  revision: z.int(),
  created_at: z.string(),
  /** How far its flight was moved ahead, in milliseconds; see `Booked`. */
  flight_ahead_ms: Count.optional(),
  /** What it is told to do wrong; see {@link SIMULATED_TROUBLE}. */
  trouble: z.array(z.enum(SIMULATED_TROUBLE)),
  /** How often it has failed as it was told to. */
  failures: Count,
  last: LastVersion.nullable(),
  held: HeldVersion.nullable(),
  /** Null: nothing was made yet, or ever will be. */
  native: NativeOrder.nullable(),
  /** What held from when on, oldest first; those that were over before `settled_at` are dropped. */
  instructions: z.array(Instruction),
  /** The tallies at an instant before which all that was stated is kept elsewhere; see `StatedHours`. */
  settled_at: z.string(),
  settled: z.array(LineTally),
  /** How far statements have reached: no instruction holds for what comes before it. */
  stated_until: z.string(),
  /** Of an order of 0.1.0: hours before `settled_at` that may still be asked for. Goes when the next are settled. */
  carried: z.array(NativeHour).optional(),
  /** Hours since `settled_at` that are stated otherwise than they were delivered. */
  restated: z.array(NativeHour),
});
export type AdOrderRecord = z.infer<typeof AdOrderRecord>;

export const AdOrderRecords: CollectionSpec<AdOrderRecord> = {
  name: 'simulated_orders_by_version',
  key: 'media_buy_id',
  schema: AdOrderRecord,
  indexes: [{ name: 'made', fields: ['created_at'] }],
};

/** The record of an order of which nothing is known but what it is to be. Pure. */
export function blankRecord(order: Pick<AdOrder, 'media_buy_id' | 'created_at' | 'name' | 'lines'>): AdOrderRecord {
  const { media_buy_id, created_at, name, lines } = order;
  const begin = toTimestamp(floorHour(fromTimestamp(created_at)));
  return {
    media_buy_id,
    revision: 1,
    created_at,
    trouble: troubleIn([name, ...lines.map((line) => line.name)]),
    failures: 0,
    ...{ last: null, held: null, native: null },
    instructions: [],
    ...{ settled_at: begin, settled: [], stated_until: begin, restated: [] },
  };
}

/** Whether it can never deliver again (P6 of the port). */
export function hasEnded({ held, native }: AdOrderRecord): boolean {
  return held !== null && (held.order?.state ?? native?.state ?? 'ended') === 'ended';
}
