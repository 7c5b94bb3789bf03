import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import type { Clock } from '../../../platform/clock.ts';
import { OrganizationId } from '../../../platform/organization-id.ts';
import type { CollectionSpec, Store } from '../../../platform/store/collection.ts';
import { ResendableState } from '../../../webhooks/delivery/delivery.ts';
import { noteRange, NOTHING_LEFT_OUT, RANGE_LEASE_MS, rangeFields } from '../../../webhooks/delivery/resend-ranges.ts';
import type { RangeWork } from '../../../webhooks/delivery/resend-ranges.ts';
import type { Webhooks } from '../../../webhooks/webhooks.ts';

/** Which deliveries to send again: those over with this outcome, that fit the rest. */
export const RangeFilter = z.strictObject({
  state: ResendableState,
  destination: z.string().optional(),
  organization_id: OrganizationId.optional(),
  task_id: z.string().optional(),
  /** Made then or later, and before. */
  from: z.string().optional(),
  until: z.string().optional(),
});
export type RangeFilter = z.infer<typeof RangeFilter>;

/** Many deliveries that are sent again by one wish of an operator, as fast as that goes. */
export const ResendRange = z.strictObject({
  ...rangeFields,
  /** `until` is set: what is made after the wish is not part of it. */
  filter: RangeFilter,
  by: z.string(),
  /** How many there were when it was asked for; null where that were too many to count, and in rows of before. */
  total: z.int().nullable().default(null),
  /** When a page was last done, or epoch when nobody is at it; null once all is done. */
  worked_at: z.string().nullable(),
});
export type ResendRange = z.infer<typeof ResendRange>;

export const ResendRanges: CollectionSpec<ResendRange> = {
  name: 'resend_ranges',
  key: 'range_id',
  schema: ResendRange,
  indexes: [{ name: 'worked_at', fields: ['worked_at'] }],
};

export interface RangeDeps {
  store: Store;
  clock: Clock;
  webhooks: Pick<Webhooks, 'operator'>;
}

const NOBODY = toTimestamp(0);

/** What is done with the ranges of operators. */
export function operatorRanges({ store, webhooks }: Pick<RangeDeps, 'store' | 'webhooks'>): RangeWork<ResendRange> {
  return webhooks.operator.ranges({
    ranges: store.collection(ResendRanges),
    due: (nowMs) => ({ worked_at: { gt: '', lte: toTimestamp(nowMs - RANGE_LEASE_MS) } }),
    isOver: ({ worked_at }) => worked_at === null,
    marks: {
      held: (nowMs) => ({ worked_at: toTimestamp(nowMs) }),
      left: () => ({ worked_at: NOBODY }),
      over: { worked_at: null },
    },
    filterOf: ({ filter }) => filter,
    page: 100,
  });
}

/** Notes a range and works on it for a while; one of this id that is there already is gone on with. Answers how it then stands. */
export async function sendRange(
  deps: RangeDeps,
  { range_id, filter, by, total = null }: Pick<ResendRange, 'range_id' | 'filter' | 'by'> & { total?: number | null },
  forMs?: number,
): Promise<ResendRange> {
  const asked_at = toTimestamp(deps.clock.now());
  const noted = await noteRange(deps.store.collection(ResendRanges), {
    ...{ range_id, by, asked_at },
    filter: { ...filter, until: filter.until ?? asked_at },
    ...{ total, resent: 0, failed: 0, left_out: NOTHING_LEFT_OUT, after: null, in_hand: null, worked_at: asked_at },
    revision: 1,
  });
  return (await operatorRanges(deps).workOn(range_id, forMs)) ?? noted;
}
