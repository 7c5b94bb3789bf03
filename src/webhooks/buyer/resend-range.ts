import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import { DELIVERY_RETENTION_MS, ResendableState } from '../delivery/delivery.ts';
import { countMeant, RangeCounted } from '../delivery/count-range.ts';
import { Destination, AskedInstant } from '../delivery/filter-fields.ts';
import type { ResendDependencies } from '../delivery/resend.ts';
import { RangeLeftOut, leftOutOf, noteRange, NOTHING_LEFT_OUT, rangeFields } from '../delivery/resend-ranges.ts';

/** Which of an organization's webhooks are meant: those over with this outcome, made before an instant. */
export const RangeRequest = z.strictObject({
  state: ResendableState,
  destination: Destination.optional().describe('Only to this receiver: any URL there'),
  from: AskedInstant.optional().describe('Only those made then or later'),
  until: AskedInstant.describe('Only those made before; the `until` that they were counted with'),
});
export type RangeRequest = z.infer<typeof RangeRequest>;

/** So many at most are one range. */
export const MOST_IN_RANGE = 1_000;

/** How many a range would be. */
export const RangeCount = RangeCounted.extend({
  count: z.int().describe(`At most ${MOST_IN_RANGE + 1}: more than ${MOST_IN_RANGE} are no range`),
  is_too_many: z.boolean(),
  hours: z.int().describe('How long it takes at least: 60 an hour, and all that you send again counts'),
  until: z.string().describe('Send it with the range: what is made later is not part of it'),
});
export type RangeCount = z.infer<typeof RangeCount>;

/** Many webhooks that are sent again by one wish of their buyer, one by one, as the budget of sending again has room. */
const BuyerRange = z.strictObject({
  ...rangeFields,
  organization_id: OrganizationId,
  filter: z.strictObject({
    state: ResendableState,
    destination: z.string().optional(),
    from: z.string().optional(),
    until: z.string(),
  }),
  /** How many there were when it was asked for. */
  total: z.int(),
  /** When somebody is to go on with it; null once it is over. */
  due_at: z.string().nullable(),
  stopped_at: z.string().nullable(),
  expires_at: z.string(),
});
export type BuyerRange = z.infer<typeof BuyerRange>;

export const BuyerRanges: CollectionSpec<BuyerRange> = {
  name: 'buyer_resend_ranges',
  key: 'range_id',
  schema: BuyerRange,
  indexes: [
    { name: 'by_due', fields: ['due_at'] },
    { name: 'by_organization', fields: ['organization_id', 'asked_at'] },
    { name: 'by_open', fields: ['organization_id', 'due_at'], holds: [] },
  ],
  expires: 'expires_at',
};

/** How far a range has come. */
export const BuyerRangeView = z.object({
  range_id: z.string(),
  filter: z.object(BuyerRange.shape.filter.shape),
  asked_at: z.string(),
  total: z.int().describe('How many there were when it was asked for'),
  resent: z.int(),
  failed: z.int().describe('How many were given up, since they could not be sent for a fault that is ours'),
  left_out: RangeLeftOut.describe('How many were not sent, and why'),
  is_over: z.boolean(),
  stopped_at: z.string().nullable().describe('When it was stopped before its end'),
  next_at: z.string().nullable().describe('When it goes on, at the latest; null once it is over'),
});
export type BuyerRangeView = z.infer<typeof BuyerRangeView>;

export interface BuyerRangeDependencies extends ResendDependencies {
  ranges: Collection<BuyerRange>;
}

/** Counts no further than is told. */
export async function countRange(
  { deliveries, clock }: Pick<BuyerRangeDependencies, 'deliveries' | 'clock'>,
  organization_id: OrganizationId,
  asked: Omit<RangeRequest, 'until'> & { until?: string | undefined },
): Promise<RangeCount> {
  const now = toTimestamp(clock.now());
  const until = asked.until !== undefined && asked.until < now ? asked.until : now;
  const counted = await countMeant(deliveries, { organization_id, ...asked, until }, MOST_IN_RANGE);
  const { count } = counted;
  return { ...counted, is_too_many: count > MOST_IN_RANGE, hours: Math.ceil(count / PER_HOUR), until };
}

/** What the budget `resend_webhook` gives. */
const PER_HOUR = 60;

/**
 * Notes a range; workers send it. The same range asked for again is the same: a lost answer, or a double click, sends nothing twice.
 * @throws {AppError} `INVALID_REQUEST` for too many, `INVALID_STATE` for none, `RATE_LIMITED` for too many ranges at a time.
 */
export async function askRange(
  deps: BuyerRangeDependencies & { budgets: Pick<Budgets, 'checkRows'> },
  organization_id: OrganizationId,
  asked: RangeRequest,
): Promise<BuyerRangeView> {
  const { ranges, clock } = deps;
  const range_id = rangeId(organization_id, asked);
  const known = await ranges.get(range_id);
  if (known !== undefined) return viewOf(known);
  const { count, is_too_many, until } = await countRange(deps, organization_id, asked);
  if (is_too_many)
    throw new AppError('INVALID_REQUEST', `from: more than ${MOST_IN_RANGE} webhooks fit; ask for a shorter time`, {
      field: 'from',
    });
  if (count === 0) throw new AppError('INVALID_STATE', 'no webhook fits, so there is nothing to send again');
  deps.budgets.checkRows('resend_ranges', await ranges.count({ organization_id, due_at: { gt: '' } }));
  const now = clock.now();
  const row: BuyerRange = {
    ...{ range_id, organization_id, filter: { ...asked, until }, asked_at: toTimestamp(now) },
    ...{ total: count, resent: 0, failed: 0, left_out: NOTHING_LEFT_OUT, after: null, in_hand: null },
    ...{ due_at: toTimestamp(now), stopped_at: null },
    expires_at: toTimestamp(now + DELIVERY_RETENTION_MS),
    revision: 1,
  };
  return viewOf(await noteRange(ranges, row));
}

/** Made from all that it is, so that it is one however often it is asked for. */
function rangeId(organization_id: OrganizationId, { state, destination, from, until }: RangeRequest): string {
  const source = JSON.stringify([organization_id, state, destination, from, until]);
  return `rng_${createHash('sha256').update(source).digest('hex').slice(0, 32)}`;
}

/** The newest 50 of an organization's. */
export async function listRanges(
  { ranges }: Pick<BuyerRangeDependencies, 'ranges'>,
  organization_id: OrganizationId,
): Promise<BuyerRangeView[]> {
  const sort = { field: 'asked_at', direction: 'desc' } as const;
  return (await ranges.find({ where: { organization_id }, sort, limit: 50 })).rows.map(viewOf);
}

/** @throws {AppError} `NOT_FOUND` for an unknown range, and for another organization's. */
export async function showBuyerRange(
  { ranges }: Pick<BuyerRangeDependencies, 'ranges'>,
  organization_id: OrganizationId,
  range_id: string,
): Promise<BuyerRangeView> {
  const row = await ranges.get(range_id);
  if (row?.organization_id === organization_id) return viewOf(row);
  throw new AppError('NOT_FOUND', 'no range has this id', { field: 'range_id' });
}

/** Sends no more of a range; what it has sent stays sent. May be repeated. @throws {AppError} `NOT_FOUND` likewise. */
export async function stopRange(
  deps: Pick<BuyerRangeDependencies, 'ranges' | 'clock'>,
  organization_id: OrganizationId,
  range_id: string,
): Promise<BuyerRangeView> {
  await showBuyerRange(deps, organization_id, range_id);
  const stopped_at = toTimestamp(deps.clock.now());
  await deps.ranges.update(range_id, (row) => (row.due_at === null ? undefined : { ...row, due_at: null, stopped_at }));
  return showBuyerRange(deps, organization_id, range_id);
}

function viewOf(range: BuyerRange): BuyerRangeView {
  const { range_id, filter, asked_at, total, resent, failed, due_at, stopped_at } = range;
  const is_over = due_at === null;
  const left_out = leftOutOf(range, { total, isAtItsEnd: is_over && stopped_at === null });
  return { range_id, filter, asked_at, total, resent, failed, left_out, is_over, stopped_at, next_at: due_at };
}
