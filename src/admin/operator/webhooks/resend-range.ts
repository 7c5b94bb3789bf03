import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import type { Clock } from '../../../platform/clock.ts';
import { OrganizationId } from '../../../platform/organization-id.ts';
import type { CollectionSpec, Store } from '../../../platform/store/collection.ts';
import { ResendableState } from '../../../webhooks/delivery/delivery.ts';
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

/** Many deliveries that are sent again by one wish of an operator, page by page. */
export const ResendRange = z.strictObject({
  range_id: z.string(),
  /** `until` is set: what is made after the wish is not part of it. */
  filter: RangeFilter,
  by: z.string(),
  asked_at: z.string(),
  resent: z.int(),
  /** Where the next page begins; null for the first. */
  after: z.string().nullable(),
  /** When a page was last done, or epoch when nobody is at it; null once all is done. */
  worked_at: z.string().nullable(),
  revision: z.int(),
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

const PAGE = 100;
/** After this long without a page done, whoever was at it has died. */
const ABANDONED_MS = 30_000;
/** How long one process works on ranges before it looks at anything else. */
const STINT_MS = 5_000;
const NOBODY = toTimestamp(0);

/** Notes a range; one of this id that is there already stays as it is. */
export async function noteRange(
  { store, clock }: RangeDeps,
  { range_id, filter, by }: Pick<ResendRange, 'range_id' | 'filter' | 'by'>,
): Promise<void> {
  const asked_at = toTimestamp(clock.now());
  await store.collection(ResendRanges).insert({
    ...{ range_id, by, asked_at },
    filter: { ...filter, until: filter.until ?? asked_at },
    ...{ resent: 0, after: null, worked_at: asked_at },
    revision: 1,
  });
}

/**
 * Works on a range for at most `forMs`, then leaves the rest to {@link continueRanges}. Killed anywhere, no event is sent by it
 * twice. Answers the range as it then stands.
 */
export async function workOnRange(deps: RangeDeps, range_id: string, forMs = STINT_MS): Promise<ResendRange> {
  const { store, clock, webhooks } = deps;
  const ranges = store.collection(ResendRanges);
  const untilMs = clock.now() + forMs;
  for (;;) {
    const range = await ranges.get(range_id);
    if (range === undefined) throw new Error(`the range ${range_id} is gone`);
    if (range.worked_at === null) return range;
    const after = range.after ?? undefined;
    const { resent, cursor } = await webhooks.operator.resendPage(range.filter, { limit: PAGE, after, range_id });
    const isStintOver = clock.now() >= untilMs;
    const worked_at = cursor === undefined ? null : isStintOver ? NOBODY : toTimestamp(clock.now());
    const outcome = await ranges.update(range_id, (row) =>
      row.after === range.after && row.worked_at !== null
        ? { ...row, resent: row.resent + resent, after: cursor ?? row.after, worked_at }
        : undefined,
    );
    if (outcome !== undefined && (isStintOver || cursor === undefined)) return outcome.row;
  }
}

/** Takes up the ranges that nobody is at. Safe in several processes at once. Answers how many there were. */
export async function continueRanges(deps: RangeDeps): Promise<number> {
  const { store, clock } = deps;
  const ranges = store.collection(ResendRanges);
  const before = toTimestamp(clock.now() - ABANDONED_MS);
  const { rows } = await ranges.find({ where: { worked_at: { gt: '', lte: before } }, limit: 10 });
  for (const { range_id, worked_at } of rows) {
    const now = toTimestamp(clock.now());
    const claim = await ranges.update(range_id, (row) =>
      row.worked_at === worked_at ? { ...row, worked_at: now } : undefined,
    );
    if (claim?.changed === true) await workOnRange(deps, range_id);
  }
  return rows.length;
}
